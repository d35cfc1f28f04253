import com.alibaba.otter.canal.connector.core.producer.MQDestination;
import com.alibaba.otter.canal.connector.core.util.Callback;
import com.alibaba.otter.canal.connector.kafka.producer.CanalKafkaProducer;
import com.alibaba.otter.canal.instance.manager.CanalInstanceWithManager;
import com.alibaba.otter.canal.instance.manager.model.Canal;
import com.alibaba.otter.canal.instance.manager.model.CanalParameter;
import com.alibaba.otter.canal.parse.inbound.mysql.MysqlEventParser;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.DatabaseTableMeta;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.TableMetaTSDB;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.TableMetaTSDBFactory;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaHistoryDAO;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaHistoryDO;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaSnapshotDAO;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaSnapshotDO;
import com.alibaba.otter.canal.protocol.ClientIdentity;
import com.alibaba.otter.canal.protocol.Message;
import com.alibaba.otter.canal.server.embedded.CanalServerWithEmbedded;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Canal's server in this process, and Canal's own Kafka producer after it. It needs no broker: the Kafka client of that
 * producer is replaced by Kafka's client for tests, which keeps the records.
 *
 * Settings: port, user, password, journal, position; optional: gtidset, gtid, tsdb, topic. The time zone is the JVM's.
 */
public final class LiveCanal {
    private static final String DESTINATION = "live";
    private static final int BATCH = 50;
    private static final long WAIT = 20;

    private final Output output = new Output();
    private final Map<String, String> settings;
    private final MockProducer<String, byte[]> sent =
        new MockProducer<>(true, new StringSerializer(), new ByteArraySerializer());

    private LiveCanal(Map<String, String> settings) {
        this.settings = settings;
    }

    public static void main(String[] arguments) throws Exception {
        new LiveCanal(Output.settings(arguments)).run();
    }

    private boolean isSet(String name) {
        return Boolean.parseBoolean(settings.getOrDefault(name, "false"));
    }

    private void run() throws Exception {
        CanalServerWithEmbedded server = CanalServerWithEmbedded.instance();
        server.setCanalInstanceGenerator(destination -> instance());
        server.setMetricsPort(-1);
        server.start();
        server.start(DESTINATION);
        ClientIdentity client = new ClientIdentity(DESTINATION, (short) 1001, ".*\\..*");
        server.subscribe(client);
        CanalKafkaProducer producer = producer();
        MQDestination to = new MQDestination();
        to.setCanalDestination(DESTINATION);
        to.setTopic(settings.getOrDefault("topic", "example"));
        to.setPartition(0);
        output.reading();
        while (true) {
            Message message = server.getWithoutAck(client, BATCH, WAIT, TimeUnit.MILLISECONDS);
            boolean isEmpty = message.isRaw() ? message.getRawEntries().isEmpty() : message.getEntries().isEmpty();
            if (message.getId() == -1 || isEmpty) continue;
            AtomicBoolean done = new AtomicBoolean();
            producer.send(to, message, new Callback() {
                @Override
                public void commit() {
                    done.set(true);
                }

                @Override
                public void rollback() {
                    done.set(false);
                }
            });
            if (!done.get()) {
                output.failed("the producer rolled back batch " + message.getId());
                Runtime.getRuntime().halt(3);
            }
            server.ack(client, message.getId());
            sent.history().forEach(this::told);
            sent.clear();
        }
    }

    private void told(ProducerRecord<String, byte[]> record) {
        StringBuilder headers = new StringBuilder();
        for (Header header : record.headers()) Output.header(headers, header.key(), header.value());
        output.record(record.topic(), record.partition(), Output.utf8(record.key()), record.value(), headers);
    }

    private CanalInstanceWithManager instance() {
        CanalParameter parameter = new CanalParameter();
        parameter.setRunMode(CanalParameter.RunMode.EMBEDDED);
        parameter.setClusterMode(CanalParameter.ClusterMode.STANDALONE);
        parameter.setMetaMode(CanalParameter.MetaMode.MEMORY);
        parameter.setStorageMode(CanalParameter.StorageMode.MEMORY);
        parameter.setIndexMode(CanalParameter.IndexMode.MEMORY);
        parameter.setSourcingType(CanalParameter.SourcingType.MYSQL);
        parameter.setHaMode(CanalParameter.HAMode.HEARTBEAT);
        parameter.setHeartbeatHaEnable(false);
        parameter.setDetectingEnable(false);
        parameter.setDbAddresses(List.of(new InetSocketAddress("127.0.0.1", Integer.parseInt(settings.get("port")))));
        parameter.setDbUsername(settings.get("user"));
        parameter.setDbPassword(settings.get("password"));
        parameter.setConnectionCharset("UTF-8");
        parameter.setConnectionCharsetNumber((byte) 33);
        parameter.setSlaveId(4711L);
        parameter.setDefaultConnectionTimeoutInSeconds(30);
        parameter.setReceiveBufferSize(16384);
        parameter.setSendBufferSize(16384);
        parameter.setMemoryStorageBufferSize(16384);
        parameter.setMemoryStorageBufferMemUnit(1024);
        parameter.setTransactionSize(1024);
        parameter.setFallbackIntervalInSeconds(60);
        parameter.setGtidEnable(isSet("gtid"));
        parameter.setParallel(true);
        parameter.setFilterTableError(false);
        parameter.setTsdbEnable(false);
        String gtids = settings.getOrDefault("gtidset", "");
        String start = "{\"journalName\":\"" + settings.get("journal") + "\",\"position\":" + settings.get("position");
        if (!gtids.isEmpty()) {
            start += ",\"timestamp\":" + System.currentTimeMillis() + ",\"gtid\":\"" + gtids + "\"";
        }
        parameter.setPositions(List.of(start + "}"));
        Canal canal = new Canal();
        canal.setId(1L);
        canal.setName(DESTINATION);
        canal.setCanalParameter(parameter);
        CanalInstanceWithManager instance = new CanalInstanceWithManager(canal, ".*\\..*");
        if (isSet("tsdb")) keepStatements((MysqlEventParser) instance.getEventParser());
        return instance;
    }

    /** Keeps the history of statements, and so of columns, in memory; Canal's deployer keeps it in a database file. */
    private static void keepStatements(MysqlEventParser parser) {
        parser.setTsdbJdbcUrl("");
        parser.setTsdbJdbcUserName("");
        parser.setTsdbJdbcPassword("");
        parser.setTableMetaTSDBFactory(new TableMetaTSDBFactory() {
            @Override
            public TableMetaTSDB build(String destination, String xml) {
                DatabaseTableMeta meta = new DatabaseTableMeta();
                meta.setMetaHistoryDAO(new History());
                meta.setMetaSnapshotDAO(new Snapshots());
                return meta;
            }

            @Override
            public void destory(String destination) {
            }
        });
        parser.setEnableTsdb(true);
    }

    private CanalKafkaProducer producer() throws ReflectiveOperationException {
        CanalKafkaProducer producer = new CanalKafkaProducer();
        Properties properties = new Properties();
        properties.put("kafka.bootstrap.servers", "127.0.0.1:1");
        properties.put("kafka.acks", "all");
        properties.put("kafka.max.in.flight.requests.per.connection", "1");
        properties.put("kafka.retries", "0");
        properties.put("canal.mq.flatMessage", "true");
        properties.put("canal.mq.database.hash", "true");
        producer.init(properties);
        Field field = CanalKafkaProducer.class.getDeclaredField("producer");
        field.setAccessible(true);
        ((Producer<?, ?>) field.get(producer)).close(Duration.ZERO);
        field.set(producer, sent);
        return producer;
    }

    private static final class History extends MetaHistoryDAO {
        private final List<MetaHistoryDO> rows = new ArrayList<>();

        @Override
        public Long insert(MetaHistoryDO row) {
            rows.add(row);
            return (long) rows.size();
        }

        @Override
        public List<MetaHistoryDO> findByTimestamp(String destination, Long from, Long to) {
            return rows.stream().filter(r -> r.getBinlogTimestamp() >= from && r.getBinlogTimestamp() <= to).toList();
        }

        @Override
        public Integer deleteByName(String destination) {
            rows.clear();
            return 0;
        }

        @Override
        public Integer deleteByTimestamp(String destination, int seconds) {
            return 0;
        }

        @Override
        protected void checkDaoConfig() {
        }

        @Override
        protected void initDao() {
        }
    }

    private static final class Snapshots extends MetaSnapshotDAO {
        private final List<MetaSnapshotDO> rows = new ArrayList<>();

        @Override
        public Long insert(MetaSnapshotDO row) {
            rows.add(row);
            return (long) rows.size();
        }

        @Override
        public Long update(MetaSnapshotDO row) {
            return 1L;
        }

        @Override
        public MetaSnapshotDO findByTimestamp(String destination, Long time) {
            return rows.isEmpty() ? null : rows.get(rows.size() - 1);
        }

        @Override
        public Integer deleteByName(String destination) {
            rows.clear();
            return 0;
        }

        @Override
        public Integer deleteByTimestamp(String destination, int seconds) {
            return 0;
        }

        @Override
        protected void checkDaoConfig() {
        }

        @Override
        protected void initDao() {
        }
    }
}
