import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.seatunnel.api.serialization.DeserializationSchema;
import org.apache.seatunnel.api.source.Collector;
import org.apache.seatunnel.api.table.catalog.CatalogTable;
import org.apache.seatunnel.api.table.catalog.CatalogTableUtil;
import org.apache.seatunnel.api.table.type.BasicType;
import org.apache.seatunnel.api.table.type.DecimalType;
import org.apache.seatunnel.api.table.type.LocalTimeType;
import org.apache.seatunnel.api.table.type.PrimitiveByteArrayType;
import org.apache.seatunnel.api.table.type.SeaTunnelDataType;
import org.apache.seatunnel.api.table.type.SeaTunnelRow;
import org.apache.seatunnel.api.table.type.SeaTunnelRowType;
import org.apache.seatunnel.format.json.canal.CanalJsonDeserializationSchema;
import org.apache.seatunnel.format.json.debezium.DebeziumJsonDeserializationSchema;

/** SeaTunnel's formats canal_json and debezium_json, with the column types of its MySQL catalogue. */
public final class SeaTunnelConsumer extends Consumer {
    private static final int MOST_DIGITS = 38;

    public static void main(String[] args) throws Exception {
        new SeaTunnelConsumer().serve();
    }

    @Override
    protected String name() {
        return "seatunnel";
    }

    @Override
    protected String version() {
        return versionOf(CanalJsonDeserializationSchema.class, "seatunnel-format-json");
    }

    @Override
    protected Map<String, List<String>> protocols() {
        return Map.of(
            "canal-json", List.of("enable-tidb-extension", "content-compatible", "only-output-updated-columns", "output-raw-change-event"),
            "canal", List.of("version", "jdk", "tsdb", "server", "gtid"),
            "debezium", List.of("enable-tidb-extension", "debezium-disable-schema", "debezium-include-start-ts", "output-raw-change-event"),
            "debezium-connector", List.of("schemas.enable", "tombstones.on.delete", "version", "server"));
    }

    @Override
    protected List<Row> read(byte[] key, byte[] value, JsonNode table) throws Exception {
        List<String> names = new ArrayList<>();
        List<SeaTunnelDataType<?>> types = new ArrayList<>();
        for (JsonNode column : table.path("columns")) {
            names.add(column.path("name").asText());
            types.add(declared(MysqlType.of(column)));
        }
        String schema = table.path("schema").asText(), name = table.path("name").asText();
        SeaTunnelRowType row = new SeaTunnelRowType(names.toArray(new String[0]), types.toArray(new SeaTunnelDataType<?>[0]));
        CatalogTable catalogue = CatalogTableUtil.getCatalogTable("kafka", schema, null, name, row);
        boolean isLenient = has("ignore-parse-errors"), isFiltered = has("filters");
        DeserializationSchema<SeaTunnelRow> format = isCanal()
            ? new CanalJsonDeserializationSchema(catalogue, isFiltered ? schema : null, isFiltered ? name : null, isLenient)
            : new DebeziumJsonDeserializationSchema(catalogue, isLenient, includesSchema());
        List<Row> rows = new ArrayList<>();
        format.deserialize(value, new Collector<SeaTunnelRow>() {
            @Override
            public void collect(SeaTunnelRow one) {
                Map<String, String> found = row();
                for (int i = 0; i < names.size(); i++) found.put(names.get(i), Values.text(one.getField(i)));
                rows.add(new Row(one.getRowKind().shortString(), found));
            }

            @Override
            public Object getCheckpointLock() {
                return this;
            }
        });
        return rows;
    }

    private static SeaTunnelDataType<?> declared(MysqlType type) {
        return switch (type.base()) {
            case "boolean", "bool" -> BasicType.BOOLEAN_TYPE;
            case "tinyint" -> type.length() == 1 ? BasicType.BOOLEAN_TYPE : type.isUnsigned() ? BasicType.SHORT_TYPE : BasicType.BYTE_TYPE;
            case "smallint" -> type.isUnsigned() ? BasicType.INT_TYPE : BasicType.SHORT_TYPE;
            case "mediumint", "year" -> BasicType.INT_TYPE;
            case "int", "integer" -> type.isUnsigned() ? BasicType.LONG_TYPE : BasicType.INT_TYPE;
            case "bigint" -> type.isUnsigned() ? new DecimalType(20, 0) : BasicType.LONG_TYPE;
            case "float" -> BasicType.FLOAT_TYPE;
            case "double", "real" -> BasicType.DOUBLE_TYPE;
            case "decimal", "numeric" -> type.length() > MOST_DIGITS ? BasicType.STRING_TYPE : new DecimalType(type.length() < 0 ? 10 : type.length(), Math.max(0, type.scale()));
            case "bit" -> type.length() <= 1 ? BasicType.BOOLEAN_TYPE : PrimitiveByteArrayType.INSTANCE;
            case "date" -> LocalTimeType.LOCAL_DATE_TYPE;
            case "time" -> LocalTimeType.LOCAL_TIME_TYPE;
            case "datetime", "timestamp" -> LocalTimeType.LOCAL_DATE_TIME_TYPE;
            default -> type.isBytes() ? PrimitiveByteArrayType.INSTANCE : BasicType.STRING_TYPE;
        };
    }
}
