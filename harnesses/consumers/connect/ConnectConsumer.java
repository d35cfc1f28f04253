import com.fasterxml.jackson.databind.JsonNode;
import io.debezium.transforms.ExtractNewRecordState;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * The steps of a Kafka Connect pipeline without its worker. The option `mode` is one of: `converter`, the envelope as
 * Kafka's JsonConverter reads it; `unwrap`, the row that Debezium's ExtractNewRecordState makes of it; `jdbc`, the row that
 * Debezium's JDBC sink writes into MySQL (see JdbcSink).
 */
public final class ConnectConsumer extends Consumer {
    private final JsonConverter[] keys = {converter(true, false), converter(true, true)};
    private final JsonConverter[] values = {converter(false, false), converter(false, true)};
    private final ExtractNewRecordState<SinkRecord> unwrap = new ExtractNewRecordState<>();
    private JdbcSink sink;

    private ConnectConsumer() {
        unwrap.configure(Map.of("delete.tombstone.handling.mode", "rewrite"));
    }

    public static void main(String[] args) throws Exception {
        new ConnectConsumer().serve();
    }

    @Override
    protected String name() {
        return "connect-json";
    }

    @Override
    protected String version() {
        return versionOf(JsonConverter.class, "connect-json") + "+debezium-" + versionOf(ExtractNewRecordState.class, "debezium-[a-z-]+").replace(".Final", "");
    }

    @Override
    protected Map<String, List<String>> protocols() {
        return Map.of(
            "debezium", List.of("enable-tidb-extension", "debezium-include-start-ts", "output-raw-change-event"),
            "debezium-connector", List.of("schemas.enable", "tombstones.on.delete", "version", "server"));
    }

    private static JsonConverter converter(boolean isKey, boolean hasSchemas) {
        JsonConverter made = new JsonConverter();
        made.configure(Map.of("schemas.enable", String.valueOf(hasSchemas), "converter.type", isKey ? "key" : "value"), isKey);
        return made;
    }

    @Override
    protected List<Row> read(byte[] key, byte[] value, JsonNode table) throws Exception {
        int on = includesSchema() ? 1 : 0;
        SchemaAndValue ofKey = keys[on].toConnectData("topic", key), ofValue = values[on].toConnectData("topic", value);
        return switch (options.getOrDefault("mode", "unwrap")) {
            case "converter" -> converted(ofValue.value());
            case "unwrap" -> unwrapped(record("topic", ofKey, ofValue.schema(), ofValue.value()));
            case "jdbc" -> {
                if (sink == null) sink = JdbcSink.fromEnvironment();
                if (sink == null) throw new Unsupported("mode jdbc needs SINK_URL, a MySQL of its own");
                yield sink.rows(ofKey, ofValue);
            }
            default -> throw new Unsupported("mode " + options.get("mode"));
        };
    }

    private static List<Row> converted(Object envelope) {
        List<Row> rows = new ArrayList<>();
        if (envelope == null) return rows;
        Object before = member(envelope, "before"), after = member(envelope, "after");
        boolean isUpdate = "u".equals(member(envelope, "op"));
        if (before != null) rows.add(new Row(isUpdate ? "-U" : "-D", columns(before)));
        if (after != null) rows.add(new Row(isUpdate ? "+U" : "+I", columns(after)));
        return rows;
    }

    private List<Row> unwrapped(SinkRecord record) {
        SinkRecord one = unwrap.apply(record);
        if (one == null || one.value() == null) return List.of();
        Map<String, String> found = columns(one.value());
        return List.of(new Row("true".equals(found.remove("__deleted")) ? "-D" : "+I", found));
    }

    static SinkRecord record(String topic, SchemaAndValue key, Schema schema, Object value) {
        return new SinkRecord(topic, 0, key.schema(), key.value(), schema, value, 0, 0L, TimestampType.CREATE_TIME);
    }

    private static Object member(Object of, String name) {
        if (of instanceof Struct struct) return struct.schema().field(name) == null ? null : struct.get(name);
        return of instanceof Map<?, ?> map ? map.get(name) : null;
    }

    private static Map<String, String> columns(Object of) {
        Map<String, String> found = row();
        if (of instanceof Struct struct) {
            for (Field field : struct.schema().fields()) found.put(field.name(), text(field.schema(), struct.get(field)));
        } else if (of instanceof Map<?, ?> map) {
            map.forEach((name, value) -> found.put(name.toString(), Values.text(value)));
        } else {
            found.put("", String.valueOf(of));
        }
        return found;
    }

    /** Connect's logical types (date, time, time stamp) are all java.util.Date; the schema's name tells them apart. */
    private static String text(Schema schema, Object value) {
        if (!(value instanceof java.util.Date date)) return Values.text(value);
        LocalDateTime moment = LocalDateTime.ofInstant(date.toInstant(), ZoneOffset.UTC);
        return switch (schema.name()) {
            case "org.apache.kafka.connect.data.Date" -> moment.toLocalDate().toString();
            case "org.apache.kafka.connect.data.Time" -> Values.text(moment.toLocalTime());
            default -> Values.text(moment);
        };
    }

    static Row row(String kind, Map<String, String> values) {
        return new Row(kind, values);
    }
}
