import static org.apache.spark.sql.avro.functions.from_avro;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.from_json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.InterpretedMutableProjection;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/**
 * Turns the value of a record into two columns: the kind of change, and the list of rows.
 *
 * <p>A row of Canal is a map of texts, and each column is cast. A row of Debezium is a structure with the types of the
 * connector's manual, and times are computed from its numbers. The columns of Avro stay as from_avro returns them.
 */
final class SparkJob {
    private static final int MOST_DIGITS = 38, MILLIS = 3;

    private final UnaryOperator<Dataset<Row>> job;
    private final List<InterpretedMutableProjection> steps = new ArrayList<>();
    private scala.Function1<Object, Object> toRow;

    private SparkJob(UnaryOperator<Dataset<Row>> job) {
        this.job = job;
    }

    Dataset<Row> of(Dataset<Row> records) {
        return job.apply(records);
    }

    /** Keeps the optimized expressions of the job for records of their type. */
    void plan(Dataset<Row> records) {
        Dataset<Row> made = of(records);
        toRow = CatalystTypeConverters.createToScalaConverter(made.schema());
        for (LogicalPlan at = made.queryExecution().optimizedPlan(); at instanceof Project step; at = step.child()) {
            steps.add(0, new InterpretedMutableProjection(expressions(step.projectList()), step.child().output()));
        }
    }

    /** Named expressions as expressions: Java does not see that they are. */
    @SuppressWarnings("unchecked")
    private static Seq<Expression> expressions(Seq<?> named) {
        return (Seq<Expression>) named;
    }

    Row evaluate(byte[] value) {
        InternalRow row = new GenericInternalRow(new Object[] {value});
        for (InterpretedMutableProjection step : steps) row = step.apply(row).copy();
        return (Row) toRow.apply(row);
    }

    static SparkJob canal(JsonNode table, String mode) {
        StructType schema = structure("`type`: STRING, `data`: ARRAY<MAP<STRING, STRING>>");
        String rows = struct(table, (name, type) -> canalValue("d[" + literal(name) + "]", type));
        return new SparkJob(records -> parsed(records, schema, mode).selectExpr(
            "m.`type` AS kind", "IF(m.`type` IN ('INSERT', 'UPDATE', 'DELETE'), transform(m.`data`, d -> " + rows + "), NULL) AS rows"));
    }

    private static String canalValue(String text, MysqlType type) {
        if (type.isBytes()) return "encode(" + text + ", 'ISO-8859-1')"; // TiCDC and Canal write a letter for a byte
        String of = switch (type.base()) {
            case "boolean", "bool", "tinyint", "smallint", "mediumint", "year" -> "INT";
            case "int", "integer" -> type.isUnsigned() ? "BIGINT" : "INT";
            case "bigint" -> type.isUnsigned() ? "DECIMAL(20,0)" : "BIGINT";
            case "bit" -> "DECIMAL(20,0)";
            case "float" -> "FLOAT";
            case "double", "real" -> "DOUBLE";
            case "decimal", "numeric" -> decimal(type);
            case "date" -> "DATE";
            case "datetime" -> "TIMESTAMP_NTZ";
            case "timestamp" -> "TIMESTAMP";
            default -> "STRING";
        };
        return of.equals("STRING") ? text : "CAST(" + text + " AS " + of + ")";
    }

    private static String decimal(MysqlType type) {
        int precision = type.length() < 0 ? 10 : type.length();
        return precision > MOST_DIGITS ? "STRING" : "DECIMAL(" + precision + "," + Math.max(0, type.scale()) + ")";
    }

    static SparkJob debezium(JsonNode table, String mode, boolean below) {
        List<String> columns = new ArrayList<>();
        for (JsonNode column : table.path("columns")) columns.add(quoted(column.path("name").asText()) + ": " + written(MysqlType.of(column)));
        String row = "STRUCT<" + String.join(", ", columns) + ">";
        String envelope = "`op`: STRING, `before`: " + row + ", `after`: " + row;
        StructType schema = structure(below ? "`payload`: STRUCT<" + envelope + ">" : envelope);
        String at = below ? "m.`payload`." : "m.";
        String rows = struct(table, (name, type) -> converted("r." + quoted(name), type));
        String image = "IF(" + at + "`op` = 'd', " + at + "`before`, " + at + "`after`)";
        return new SparkJob(records -> parsed(records, schema, mode).selectExpr(
            at + "`op` AS kind", "IF(" + at + "`op` IN ('c', 'r', 'u', 'd'), transform(array(" + image + "), r -> " + rows + "), NULL) AS rows"));
    }

    private static String written(MysqlType type) {
        if (type.isBytes()) return "BINARY";
        return switch (type.base()) {
            case "boolean", "bool", "tinyint", "smallint", "mediumint", "year", "date" -> "INT";
            case "int", "integer" -> type.isUnsigned() ? "BIGINT" : "INT";
            case "bigint" -> type.isUnsigned() ? "DECIMAL(20,0)" : "BIGINT";
            case "bit" -> type.length() <= 1 ? "BOOLEAN" : "BINARY";
            case "float" -> "FLOAT";
            case "double", "real" -> "DOUBLE";
            case "decimal", "numeric" -> decimal(type);
            case "time", "datetime" -> "BIGINT";
            default -> "STRING";
        };
    }

    private static String converted(String value, MysqlType type) {
        return switch (type.base()) {
            case "date" -> "date_from_unix_date(" + value + ")";
            case "time" -> "timestamp_micros(" + value + ") - timestamp_micros(0L)";
            case "datetime" -> "CAST(" + (type.length() <= MILLIS ? "timestamp_millis(" : "timestamp_micros(") + value + ") AS TIMESTAMP_NTZ)";
            case "timestamp" -> "CAST(" + value + " AS TIMESTAMP)";
            default -> value;
        };
    }

    static SparkJob avro(JsonNode table, String schema, String mode) {
        String rows = struct(table, (name, type) -> "r." + quoted(name));
        return new SparkJob(records -> records
            .select(from_avro(expr("substring(value, 6)"), schema, Map.of("mode", mode)).as("m"))
            .selectExpr("'avro' AS kind", "transform(array(m), r -> " + rows + ") AS rows"));
    }

    private interface Shown {
        String of(String name, MysqlType type);
    }

    private static String struct(JsonNode table, Shown shown) {
        List<String> parts = new ArrayList<>();
        for (JsonNode column : table.path("columns")) {
            String name = column.path("name").asText();
            parts.add(literal(name) + ", " + shown.of(name, MysqlType.of(column)));
        }
        return "named_struct(" + String.join(", ", parts) + ")";
    }

    private static StructType structure(String members) {
        return (StructType) DataType.fromDDL("STRUCT<" + members + ">");
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    private static String literal(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    private static Dataset<Row> parsed(Dataset<Row> records, StructType schema, String mode) {
        return records.select(from_json(col("value").cast("string"), schema, Map.of("mode", mode)).as("m"));
    }
}
