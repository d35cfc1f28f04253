import com.fasterxml.jackson.databind.JsonNode;
import io.apicurio.registry.utils.converter.AvroConverter;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;

/**
 * Apicurio's AvroConverter as a Connect worker uses it, for Confluent's header: `apicurio.registry.as-confluent`. A record
 * is a row; a record without a value deletes the row of its key, as in sinks with `delete.enabled`.
 */
public final class ConnectAvroConsumer extends Consumer {
    private AvroConverter<Object> keys, values;
    private NativeRegistry behind;

    public static void main(String[] args) throws Exception {
        new ConnectAvroConsumer().serve();
    }

    @Override
    protected String name() {
        return "connect-avro";
    }

    @Override
    protected String version() {
        return versionOf(AvroConverter.class, "apicurio-registry-utils-converter").replace(".Final", "");
    }

    @Override
    protected Map<String, List<String>> protocols() {
        return Map.of("avro", List.of("enable-tidb-extension", "avro-decimal-handling-mode", "avro-bigint-unsigned-handling-mode"));
    }

    @Override
    protected void configured() {
        if (behind == null) behind = NativeRegistry.before(registry);
        keys = converter(true);
        values = converter(false);
    }

    private AvroConverter<Object> converter(boolean isKey) {
        AvroConverter<Object> made = new AvroConverter<>();
        made.configure(Map.of(
            "apicurio.registry.url", behind.url(),
            "apicurio.registry.as-confluent", "true",
            "apicurio.registry.use-id", "contentId",
            "apicurio.registry.headers.enabled", "false"), isKey);
        return made;
    }

    @Override
    protected List<Row> read(byte[] key, byte[] value, JsonNode table) throws Exception {
        SchemaAndValue ofKey = value == null && key != null ? keys.toConnectData("topic", key) : null;
        SchemaAndValue ofValue = values.toConnectData("topic", value);
        if (ofValue.value() instanceof Struct struct) return List.of(new Row("+I", columns(struct, table)));
        if (ofKey != null && ofKey.value() instanceof Struct struct) return List.of(new Row("-D", columns(struct, table)));
        return List.of();
    }

    /** The columns of the table in a record, without TiCDC's own fields. */
    private static Map<String, String> columns(Struct struct, JsonNode table) {
        Map<String, String> found = row();
        for (JsonNode column : table.path("columns")) {
            Field field = struct.schema().field(column.path("name").asText());
            if (field != null) found.put(field.name(), text(struct.get(field)));
        }
        return found;
    }

    private static String text(Object value) {
        if (value instanceof java.util.Date date) return Values.text(LocalDateTime.ofInstant(date.toInstant(), ZoneOffset.UTC));
        return Values.text(value);
    }
}
