import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.flink.util.Collector;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * Flink's formats as a SQL job creates them by their factories, without a cluster. Columns have the types that the manual
 * of Flink CDC gives for MySQL; a column may name another type in `flink_type`.
 */
public final class FlinkConsumer extends Consumer {
    private static final String JSON = "org.apache.flink.formats.json.", AVRO = "org.apache.flink.formats.avro.registry.confluent.";
    private static final Map<String, String> FORMATS = Map.of(
        "canal-json", JSON + "canal.CanalJsonFormatFactory",
        "canal", JSON + "canal.CanalJsonFormatFactory",
        "debezium", JSON + "debezium.DebeziumJsonFormatFactory",
        "debezium-connector", JSON + "debezium.DebeziumJsonFormatFactory",
        "avro", AVRO + "RegistryAvroFormatFactory",
        "debezium-avro", AVRO + "debezium.DebeziumAvroFormatFactory");
    private static final Map<String, List<String>> READ_UNDER = Map.of(
        "canal-json", List.of("enable-tidb-extension", "content-compatible", "only-output-updated-columns", "output-raw-change-event"),
        "canal", List.of("version", "jdk", "tsdb", "server", "gtid"),
        "debezium", List.of("enable-tidb-extension", "debezium-disable-schema", "debezium-include-start-ts", "output-raw-change-event"),
        "debezium-connector", List.of("schemas.enable", "tombstones.on.delete", "version", "server"),
        "avro", List.of("enable-tidb-extension", "avro-decimal-handling-mode", "avro-bigint-unsigned-handling-mode"),
        "debezium-avro", List.of());

    private record Job(DeserializationSchema<RowData> format, RowType type) {}

    private final Map<String, Job> jobs = new HashMap<>();

    public static void main(String[] args) throws Exception {
        new FlinkConsumer().serve();
    }

    @Override
    protected String name() {
        return "flink";
    }

    @Override
    protected String version() {
        return versionOf(org.apache.flink.api.common.JobID.class, "flink-core(?:-api)?");
    }

    @Override
    protected Map<String, List<String>> protocols() {
        Map<String, List<String>> found = new TreeMap<>();
        for (String name : FORMATS.keySet()) {
            try {
                Class.forName(FORMATS.get(name));
                found.put(name, READ_UNDER.get(name));
            } catch (ClassNotFoundException e) {
                continue; // built without the jars of Avro
            }
        }
        return found;
    }

    @Override
    protected void configured() {
        jobs.clear();
    }

    @Override
    protected List<Row> read(byte[] key, byte[] value, JsonNode table) throws Exception {
        Job job = jobs.get(table.toString());
        if (job == null) {
            RowType type = type(table);
            job = new Job(format(table, type), type);
        }
        jobs.remove(table.toString()); // a job that failed is created again: the state of its reader is unknown
        RowType type = job.type();
        List<Row> rows = new ArrayList<>();
        job.format().deserialize(value, new Collector<RowData>() {
            @Override
            public void collect(RowData row) {
                rows.add(new Row(row.getRowKind().shortString(), texts(row, type)));
            }

            @Override
            public void close() {}
        });
        jobs.put(table.toString(), job);
        return rows;
    }

    private DeserializationSchema<RowData> format(JsonNode table, RowType type) throws Exception {
        var factory = (DeserializationFormatFactory) Class.forName(FORMATS.get(protocol)).getDeclaredConstructor().newInstance();
        Set<String> known = new HashSet<>();
        factory.optionalOptions().forEach(option -> known.add(option.key()));
        factory.requiredOptions().forEach(option -> known.add(option.key()));
        Map<String, String> given = new TreeMap<>(options);
        given.keySet().retainAll(known);
        if (known.contains("schema-include")) given.put("schema-include", String.valueOf(includesSchema()));
        if (known.contains("url") && registry != null) given.put("url", registry);
        if (has("filters")) {
            given.put("database.include", table.path("schema").asText());
            given.put("table.include", table.path("name").asText());
        }
        DataType row = TypeConversions.fromLogicalToDataType(type);
        var format = factory.createDecodingFormat(null, Configuration.fromMap(given)).createRuntimeDecoder(ScanRuntimeProviderContext.INSTANCE, row);
        @SuppressWarnings("unchecked")
        var found = (DeserializationSchema<RowData>) format;
        found.open(new DeserializationSchema.InitializationContext() {
            @Override
            public MetricGroup getMetricGroup() {
                return new UnregisteredMetricsGroup();
            }

            @Override
            public UserCodeClassLoader getUserCodeClassLoader() {
                return SimpleUserCodeClassLoader.create(FlinkConsumer.class.getClassLoader());
            }
        });
        return found;
    }

    private RowType type(JsonNode table) {
        List<DataTypes.Field> fields = new ArrayList<>();
        for (JsonNode column : table.path("columns")) fields.add(DataTypes.FIELD(column.path("name").asText(), declared(column)));
        return (RowType) DataTypes.ROW(fields.toArray(DataTypes.Field[]::new)).notNull().getLogicalType();
    }

    private DataType declared(JsonNode column) {
        if (column.hasNonNull("flink_type")) {
            LogicalType own = LogicalTypeParser.parse(column.get("flink_type").asText(), FlinkConsumer.class.getClassLoader());
            return TypeConversions.fromLogicalToDataType(own);
        }
        MysqlType type = MysqlType.of(column);
        DataType found = switch (type.base()) {
            case "boolean", "bool" -> DataTypes.BOOLEAN();
            case "tinyint" -> type.length() == 1 && !has("tinyint1-as-int") ? DataTypes.BOOLEAN() : type.isUnsigned() ? DataTypes.SMALLINT() : DataTypes.TINYINT();
            case "smallint" -> type.isUnsigned() ? DataTypes.INT() : DataTypes.SMALLINT();
            case "mediumint", "year" -> DataTypes.INT();
            case "int", "integer" -> type.isUnsigned() ? DataTypes.BIGINT() : DataTypes.INT();
            case "bigint" -> type.isUnsigned() ? DataTypes.DECIMAL(20, 0) : DataTypes.BIGINT();
            case "float" -> DataTypes.FLOAT();
            case "double", "real" -> DataTypes.DOUBLE();
            case "decimal", "numeric" -> {
                int digits = type.length() < 0 ? 10 : type.length();
                yield digits > DecimalType.MAX_PRECISION ? DataTypes.STRING() : DataTypes.DECIMAL(digits, Math.max(0, type.scale()));
            }
            case "bit" -> type.length() <= 1 ? DataTypes.BOOLEAN() : DataTypes.BINARY((type.length() + 7) / 8);
            case "date" -> DataTypes.DATE();
            case "time" -> DataTypes.TIME(Math.max(0, type.length()));
            case "datetime", "timestamp" -> DataTypes.TIMESTAMP(Math.max(0, type.length()));
            case "binary" -> DataTypes.BINARY(Math.max(1, type.length()));
            case "varbinary" -> DataTypes.VARBINARY(Math.max(1, type.length()));
            case "tinyblob", "blob", "mediumblob", "longblob" -> DataTypes.BYTES();
            case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json", "vector",
                "geometry", "point", "linestring", "polygon" -> DataTypes.STRING();
            default -> throw new Unsupported("column type " + column.path("type").asText());
        };
        return column.path("nullable").asBoolean(true) ? found : found.notNull();
    }

    private static Map<String, String> texts(RowData row, RowType type) {
        Map<String, String> found = row();
        for (int i = 0; i < type.getFieldCount(); i++) {
            boolean isNull = i >= row.getArity() || row.isNullAt(i);
            found.put(type.getFieldNames().get(i), isNull ? null : text(row, i, type.getTypeAt(i)));
        }
        return found;
    }

    private static String text(RowData row, int i, LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> String.valueOf(row.getBoolean(i));
            case TINYINT -> String.valueOf(row.getByte(i));
            case SMALLINT -> String.valueOf(row.getShort(i));
            case INTEGER -> String.valueOf(row.getInt(i));
            case BIGINT -> String.valueOf(row.getLong(i));
            case FLOAT -> String.valueOf(row.getFloat(i));
            case DOUBLE -> String.valueOf(row.getDouble(i));
            case DECIMAL -> {
                var decimal = row.getDecimal(i, ((DecimalType) type).getPrecision(), ((DecimalType) type).getScale());
                yield decimal == null ? null : Values.text(decimal.toBigDecimal());
            }
            case DATE -> LocalDate.ofEpochDay(row.getInt(i)).toString();
            case TIME_WITHOUT_TIME_ZONE -> Values.text(LocalTime.ofNanoOfDay(row.getInt(i) * 1_000_000L));
            case TIMESTAMP_WITHOUT_TIME_ZONE -> Values.text(row.getTimestamp(i, ((TimestampType) type).getPrecision()).toLocalDateTime());
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> Values.text(row.getTimestamp(i, ((LocalZonedTimestampType) type).getPrecision()).toLocalDateTime());
            case CHAR, VARCHAR -> row.getString(i).toString();
            case BINARY, VARBINARY -> Base64.getEncoder().encodeToString(row.getBinary(i));
            default -> throw new Unsupported("type " + type);
        };
    }
}
