import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.Header;
import io.debezium.engine.format.Json;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The MySQL connector of Debezium in its embedded engine; the arguments are the connector's properties. */
public final class LiveDebezium {
    private static final int PAUSE = 20;

    private final Output output = new Output();

    public static void main(String[] arguments) throws Exception {
        new LiveDebezium().run(Output.settings(arguments));
    }

    private void run(Map<String, String> settings) throws Exception {
        Properties properties = new Properties();
        properties.putAll(settings);
        DebeziumEngine<ChangeEvent<String, String>> engine = DebeziumEngine.create(Json.class, Json.class, Json.class)
            .using(properties)
            .notifying(new Consumer())
            .using((DebeziumEngine.CompletionCallback) this::ended)
            .build();
        ExecutorService executor = Executors.newSingleThreadExecutor();
        executor.execute(engine);
        awaitReading(settings.get("topic.prefix"));
        output.reading();
        executor.shutdown();
    }

    private void ended(boolean success, String message, Throwable error) {
        output.failed(error == null ? message : message + ": " + error);
        Runtime.getRuntime().halt(3);
    }

    /** Returns once the connector is connected to the binary log, by its own metrics. */
    private static void awaitReading(String prefix) throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName metrics = new ObjectName(
            "debezium.mysql:type=connector-metrics,context=streaming,server=" + ObjectName.quote(prefix));
        ObjectName plain = new ObjectName("debezium.mysql:type=connector-metrics,context=streaming,server=" + prefix);
        while (!isConnected(beans, plain) && !isConnected(beans, metrics)) Thread.sleep(PAUSE);
    }

    private static boolean isConnected(MBeanServer beans, ObjectName metrics) {
        try {
            return Boolean.TRUE.equals(beans.getAttribute(metrics, "Connected"));
        } catch (JMException e) {
            return false;
        }
    }

    private final class Consumer implements DebeziumEngine.ChangeConsumer<ChangeEvent<String, String>> {
        @Override
        public boolean supportsTombstoneEvents() {
            return true;
        }

        @Override
        public void handleBatch(
            List<ChangeEvent<String, String>> batch,
            DebeziumEngine.RecordCommitter<ChangeEvent<String, String>> committer) throws InterruptedException {
            for (ChangeEvent<String, String> event : batch) {
                StringBuilder headers = new StringBuilder();
                List<Header<Object>> given = event.headers();
                if (given != null) {
                    for (Header<Object> header : given) {
                        Output.header(headers, header.getKey(), Output.utf8(header.getValue()));
                    }
                }
                output.record(event.destination(), null, Output.utf8(event.key()), Output.utf8(event.value()), headers);
                committer.markProcessed(event);
            }
            committer.markBatchFinished();
        }
    }
}
