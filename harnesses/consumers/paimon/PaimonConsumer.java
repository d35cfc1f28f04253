import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.kafka.shaded.org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.flink.util.Collector;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.flink.action.cdc.CdcSourceRecord;
import org.apache.paimon.flink.action.cdc.TypeMapping;
import org.apache.paimon.flink.action.cdc.format.DataFormat;
import org.apache.paimon.flink.action.cdc.format.canal.CanalDataFormat;
import org.apache.paimon.flink.action.cdc.format.debezium.DebeziumJsonDataFormat;
import org.apache.paimon.flink.sink.cdc.CdcRecord;
import org.apache.paimon.flink.sink.cdc.CdcRecordUtils;
import org.apache.paimon.flink.sink.cdc.RichCdcMultiplexRecord;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.utils.DateTimeUtils;

/**
 * Paimon's kafka_sync_database: its deserialiser, its parser and its casts. As in the real action, the types come from the
 * message itself; the table of the request is ignored.
 */
public final class PaimonConsumer extends Consumer {
    public static void main(String[] args) throws Exception {
        new PaimonConsumer().serve();
    }

    @Override
    protected String name() {
        return "paimon";
    }

    @Override
    protected String version() {
        return versionOf(DataFormat.class, "paimon-flink-[0-9.]+");
    }

    @Override
    protected Map<String, List<String>> protocols() {
        return Map.of(
            "canal-json", List.of("enable-tidb-extension", "content-compatible", "only-output-updated-columns", "output-raw-change-event"),
            "canal", List.of("version", "jdk", "tsdb", "server", "gtid"),
            "debezium", List.of("enable-tidb-extension", "debezium-include-start-ts", "output-raw-change-event"),
            "debezium-connector", List.of("schemas.enable", "tombstones.on.delete", "version", "server"));
    }

    @Override
    protected List<Row> read(byte[] key, byte[] value, JsonNode table) throws Exception {
        DataFormat format = isCanal() ? new CanalDataFormat() : new DebeziumJsonDataFormat();
        CdcSourceRecord source = format.createKafkaDeserializer(new Configuration()).deserialize(new ConsumerRecord<>("t", 0, 0L, key, value));
        if (source == null) return List.of();
        String mapping = options.get("type-mapping");
        TypeMapping types = mapping == null ? TypeMapping.defaultMapping() : TypeMapping.parse(mapping.split(","));
        List<RichCdcMultiplexRecord> parsed = new ArrayList<>();
        @SuppressWarnings("unchecked")
        var parser = (FlatMapFunction<CdcSourceRecord, RichCdcMultiplexRecord>) format.createParser(types, List.of());
        parser.flatMap(source, new Collector<>() {
            @Override
            public void collect(RichCdcMultiplexRecord one) {
                parsed.add(one);
            }

            @Override
            public void close() {}
        });
        List<Row> rows = new ArrayList<>();
        for (RichCdcMultiplexRecord one : parsed) {
            List<DataField> fields = one.buildSchema().fields();
            CdcRecord record = one.toRichCdcRecord().toCdcRecord();
            GenericRow read = CdcRecordUtils.toGenericRow(record, fields, false).orElseThrow(() -> new IllegalStateException("the row does not fit its schema"));
            Map<String, String> found = row();
            for (int i = 0; i < fields.size(); i++) {
                DataType type = fields.get(i).type();
                found.put(fields.get(i).name(), text(InternalRow.createFieldGetter(type, i).getFieldOrNull(read), type));
            }
            rows.add(new Row(record.kind().shortString(), found));
        }
        return rows;
    }

    private static String text(Object value, DataType type) {
        if (value == null) return null;
        return switch (type.getTypeRoot()) {
            case DATE -> LocalDate.ofEpochDay((Integer) value).toString();
            case TIME_WITHOUT_TIME_ZONE -> time((Integer) value);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> Values.text(((Timestamp) value).toLocalDateTime());
            case DECIMAL -> Values.text(((Decimal) value).toBigDecimal());
            case ARRAY -> {
                InternalArray array = (InternalArray) value;
                List<String> parts = new ArrayList<>();
                for (int i = 0; i < array.size(); i++) parts.add(array.getString(i).toString());
                yield String.join(",", parts);
            }
            default -> Values.text(value);
        };
    }

    /** A TIME is an int of milliseconds, also beyond a day; Paimon's cast to STRING reads it in this way. */
    private static String time(int millis) {
        int part = Math.floorMod(millis, 1000);
        return DateTimeUtils.formatTimestampMillis(millis, 0) + (part == 0 ? "" : String.format(".%03d000", part));
    }
}
