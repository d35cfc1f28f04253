import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Spark jobs as people write them for these topics (see SparkJob), in one local session. The option `parse-mode` is the
 * `mode` of from_json and from_avro. With `evaluation=job` every message is a separate job; without it, the optimized
 * expressions of one job are evaluated row by row. With `today=named` a moment of the current day is written with the word
 * `today` for the day, since Spark reads a time without a date as one of the current day.
 */
public final class SparkConsumer extends Consumer {
    private static final StructType RECORD = new StructType().add("value", DataTypes.BinaryType);
    private static final Map<String, String> KINDS =
        Map.of("INSERT", "+I", "UPDATE", "+U", "DELETE", "-D", "c", "+I", "r", "+I", "u", "+U", "d", "-D", "avro", "+I");
    private static final int HEADER = 5;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SparkSession spark = SparkSession.builder()
        .appName("consumer").master("local[1]")
        .config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC").config("spark.sql.datetime.java8API.enabled", "true")
        .getOrCreate();
    private final Dataset<org.apache.spark.sql.Row> records;
    private final Map<String, SparkJob> jobs = new HashMap<>();
    private final Map<Integer, String> schemas = new HashMap<>();

    private SparkConsumer() {
        spark.sparkContext().setLogLevel("ERROR");
        // The optimizer would evaluate local rows itself; of these rows it knows only the type.
        records = spark.createDataFrame(new JavaSparkContext(spark.sparkContext()).parallelize(List.of(RowFactory.create(new byte[0]))), RECORD);
    }

    public static void main(String[] args) throws Exception {
        new SparkConsumer().serve();
    }

    @Override
    protected String name() {
        return "spark";
    }

    @Override
    protected String version() {
        return spark.version();
    }

    @Override
    protected Map<String, List<String>> protocols() {
        return Map.of(
            "canal-json", List.of("enable-tidb-extension", "content-compatible", "only-output-updated-columns", "output-raw-change-event"),
            "canal", List.of("version", "jdk", "tsdb", "server", "gtid"),
            "debezium", List.of("enable-tidb-extension", "debezium-disable-schema", "debezium-include-start-ts", "output-raw-change-event"),
            "debezium-connector", List.of("schemas.enable", "tombstones.on.delete", "version", "server"),
            "avro", List.of("enable-tidb-extension", "avro-decimal-handling-mode", "avro-bigint-unsigned-handling-mode"));
    }

    @Override
    protected void configured() {
        schemas.clear();
    }

    @Override
    protected List<Row> read(byte[] key, byte[] value, JsonNode table) throws Exception {
        if (value == null && protocol.equals("avro") && key != null) return deleted(key, table);
        if (value == null) return List.of(); // a job ignores records without a value
        return rows(value, table);
    }

    /** The key columns of a deleted row. */
    private List<Row> deleted(byte[] key, JsonNode table) throws Exception {
        Set<String> names = new HashSet<>();
        JSON.readTree(schema(key)).path("fields").forEach(field -> names.add(field.path("name").asText()));
        ArrayNode columns = JSON.createArrayNode();
        table.path("columns").forEach(column -> { if (names.contains(column.path("name").asText())) columns.add(column); });
        List<Row> gone = new ArrayList<>();
        for (Row row : rows(key, JSON.createObjectNode().set("columns", columns))) gone.add(new Row("-D", row.values()));
        return gone;
    }

    private List<Row> rows(byte[] value, JsonNode table) throws Exception {
        String mode = options.getOrDefault("parse-mode", "PERMISSIVE");
        String schema = protocol.equals("avro") ? schema(value) : "";
        String form = isCanal() ? "canal" : protocol.equals("avro") ? schema : "debezium" + includesSchema();
        SparkJob job = jobs.get(form + mode + table.path("columns"));
        if (job == null) {
            job = protocol.equals("avro") ? SparkJob.avro(table, schema, mode)
                : isCanal() ? SparkJob.canal(table, mode) : SparkJob.debezium(table, mode, includesSchema());
            job.plan(records);
            jobs.put(form + mode + table.path("columns"), job);
        }
        org.apache.spark.sql.Row found = "job".equals(options.get("evaluation"))
            ? job.of(spark.createDataFrame(List.of(RowFactory.create(value)), RECORD)).collectAsList().get(0)
            : job.evaluate(value);
        List<Row> rows = new ArrayList<>();
        String kind = found.isNullAt(0) ? null : KINDS.get(found.getString(0));
        if (kind == null || found.isNullAt(1)) return rows;
        for (Object one : found.getList(1)) rows.add(new Row(kind, texts((org.apache.spark.sql.Row) one)));
        return rows;
    }

    private Map<String, String> texts(org.apache.spark.sql.Row values) {
        Map<String, String> found = row();
        for (int i = 0; i < values.length(); i++) found.put(values.schema().fieldNames()[i], text(values.get(i)));
        return found;
    }

    private String text(Object value) {
        if (value instanceof Instant moment) {
            String text = Values.text(LocalDateTime.ofInstant(moment, ZoneOffset.UTC));
            return "named".equals(options.get("today")) ? text.replace(LocalDate.now(ZoneOffset.UTC).toString(), "today") : text;
        }
        if (value instanceof Duration time) return time(time);
        return Values.text(value);
    }

    /** A time of MySQL, which may be negative and longer than a day. */
    private static String time(Duration time) {
        Duration length = time.abs();
        String text = String.format("%s%02d:%02d:%02d", time.isNegative() ? "-" : "", length.toHours(), length.toMinutesPart(), length.toSecondsPart());
        return length.getNano() == 0 ? text : text + String.format(".%06d", length.getNano() / 1000);
    }

    /** The schema of a record, by the id in its header. */
    private String schema(byte[] value) throws Exception {
        if (value.length < HEADER || value[0] != 0) throw new IllegalArgumentException("Unknown magic byte!");
        int number = ByteBuffer.wrap(value, 1, HEADER - 1).getInt();
        String known = schemas.get(number);
        if (known == null) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(registry + "/schemas/ids/" + number)).build();
            HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) throw new IllegalArgumentException("the registry answers " + answer.statusCode());
            known = JSON.readTree(answer.body()).path("schema").asText();
            schemas.put(number, known);
        }
        return known;
    }
}
