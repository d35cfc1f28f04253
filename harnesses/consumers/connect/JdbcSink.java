import io.debezium.connector.jdbc.JdbcSinkConnectorTask;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * Debezium's JDBC sink into a real MySQL: it writes each record into another table, which is then read back.
 *
 * <p>SINK_URL, SINK_USER and SINK_PASSWORD name a database for these tables. The row before a change is written first, as
 * an insert.
 */
final class JdbcSink {
    private static final String NO_SUCH_TABLE = "42S02";

    private final String url, user, password;
    private final Connection connection;
    private JdbcSinkConnectorTask task;
    private int tables;

    private JdbcSink(String url, String user, String password) throws SQLException {
        this.url = url;
        this.user = user;
        this.password = password;
        connection = DriverManager.getConnection(url, user, password);
    }

    /** The sink that the environment describes; null if it describes none. */
    static JdbcSink fromEnvironment() throws SQLException {
        Map<String, String> given = System.getenv();
        return given.containsKey("SINK_URL") ? new JdbcSink(given.get("SINK_URL"), given.get("SINK_USER"), given.get("SINK_PASSWORD")) : null;
    }

    List<Consumer.Row> rows(SchemaAndValue key, SchemaAndValue value) throws Exception {
        String table = "t" + ++tables;
        if (task == null) task = started();
        try {
            Object before = value.value() instanceof Struct struct && struct.schema().field("before") != null ? struct.get("before") : null;
            Map<String, String> was = null;
            if (before != null) {
                Struct first = new Struct(value.schema());
                for (Field field : value.schema().fields()) first.put(field, ((Struct) value.value()).get(field));
                put(table, key, value, first.put("op", "c").put("after", before).put("before", null));
                was = read(table).get(0);
            }
            put(table, key, value, value.value());
            List<Map<String, String>> found = read(table);
            List<Consumer.Row> rows = new ArrayList<>();
            if (was != null) rows.add(ConnectConsumer.row(found.isEmpty() ? "-D" : "-U", was));
            for (Map<String, String> one : found) rows.add(ConnectConsumer.row(was != null ? "+U" : "+I", one));
            return rows;
        } catch (Throwable e) {
            stop(); // a task that failed once keeps its error
            throw e;
        } finally {
            try (Statement statement = connection.createStatement()) {
                statement.execute("drop table if exists " + table);
            }
        }
    }

    private void put(String table, SchemaAndValue key, SchemaAndValue value, Object given) {
        task.put(List.of(ConnectConsumer.record(table, key, value.schema(), given)));
        task.put(List.of()); // the task throws an error at the next put
    }

    private JdbcSinkConnectorTask started() {
        Map<String, String> settings = new HashMap<>();
        settings.put("connection.url", url);
        settings.put("connection.username", user);
        settings.put("connection.password", password);
        settings.put("schema.evolution", "basic");
        settings.put("insert.mode", "upsert");
        settings.put("primary.key.mode", "record_key");
        settings.put("primary.key.fields", "id");
        settings.put("delete.enabled", "true");
        settings.put("collection.name.format", "${topic}");
        settings.put("use.time.zone", "UTC");
        JdbcSinkConnectorTask made = new JdbcSinkConnectorTask();
        Class<?>[] types = {SinkTaskContext.class};
        made.initialize((SinkTaskContext) Proxy.newProxyInstance(JdbcSink.class.getClassLoader(), types, (self, method, given) -> switch (method.getName()) {
            case "configs" -> Map.of();
            case "assignment" -> Set.of();
            default -> null;
        }));
        made.start(settings);
        return made;
    }

    private void stop() {
        try {
            task.stop();
        } catch (RuntimeException e) {
            System.err.println("the sink does not stop: " + e);
        }
        task = null;
    }

    private List<Map<String, String>> read(String table) throws SQLException {
        List<Map<String, String>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery("select * from " + table)) {
            ResultSetMetaData of = found.getMetaData();
            while (found.next()) {
                Map<String, String> row = new LinkedHashMap<>();
                for (int i = 1; i <= of.getColumnCount(); i++) row.put(of.getColumnName(i).toLowerCase(Locale.ROOT), text(found, of, i));
                rows.add(row);
            }
        } catch (SQLException e) {
            if (!NO_SUCH_TABLE.equals(e.getSQLState())) throw e; // without a table, the sink has written nothing
        }
        return rows;
    }

    private static String text(ResultSet row, ResultSetMetaData of, int i) throws SQLException {
        String type = of.getColumnTypeName(i);
        boolean isBytes = type.contains("BINARY") || type.contains("BLOB") || (type.equals("BIT") && of.getPrecision(i) > 1);
        if (isBytes) return Values.text(row.getBytes(i));
        String found = row.getString(i);
        return found != null && type.equals("YEAR") ? found.substring(0, 4) : found;
    }
}
