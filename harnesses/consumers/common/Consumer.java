import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;

/**
 * A real consumer as a decoder of the harness protocol: the base of all consumers.
 *
 * <p>An answer has `events`, with values as the harness protocol writes them, and `raw`: for each record the rows as the
 * consumer emitted them, `[[kind, {column: text}] …]`, with which predictions of the models are compared.
 */
public abstract class Consumer {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LONGEST = 300;

    protected String protocol = "";
    protected final Map<String, String> options = new TreeMap<>();
    protected String registry;

    /** Thrown for a request that this consumer does not support. */
    static final class Unsupported extends RuntimeException {
        Unsupported(String message) {
            super(message);
        }
    }

    /** A row as the consumer emitted it: `+I`, `-U`, `+U` or `-D`, and the text of each column. */
    record Row(String kind, Map<String, String> values) {}

    protected abstract String name();

    protected abstract String version();

    /** Protocol → the options of the protocol that the harness declares. */
    protected abstract Map<String, List<String>> protocols();

    /** The rows of a record. Any exception but Unsupported becomes a rejection. */
    protected abstract List<Row> read(byte[] key, byte[] value, JsonNode table) throws Exception;

    /** Whether an option of the consumer is on. */
    protected final boolean has(String option) {
        return "true".equals(options.get(option));
    }

    protected final boolean isCanal() {
        return protocol.startsWith("canal");
    }

    /** Whether the rows are below a member `payload`: TiCDC always writes it, Debezium only beside a schema. */
    protected final boolean includesSchema() {
        return "true".equals(options.getOrDefault("schema-include", protocol.equals("debezium") ? "true" : options.getOrDefault("schemas.enable", "false")));
    }

    /** The version in the name of the jar that a class comes from. */
    protected static String versionOf(Class<?> type, String artefact) {
        String path = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        return path.replaceAll(".*/" + artefact + "-([0-9].*)\\.jar", "$1");
    }

    protected final void serve() throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            JsonNode request = JSON.readTree(line);
            ObjectNode answer = JSON.createObjectNode().put("id", request.path("id").asInt());
            try {
                answer(request, answer);
            } catch (Unsupported e) {
                answer.put("unsupported", e.getMessage());
            } catch (Throwable e) {
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                answer.put("error", trace.toString());
            }
            out.println(JSON.writeValueAsString(answer));
            out.flush();
            if (request.path("op").asText().equals("bye")) System.exit(0);
        }
        System.exit(0);
    }

    private void answer(JsonNode request, ObjectNode answer) {
        switch (request.path("op").asText()) {
            case "hello" -> hello(answer.putObject("ok"));
            case "configure" -> {
                configure(request);
                answer.putObject("ok");
            }
            case "decode" -> decode(request, answer);
            case "reset", "bye" -> answer.putObject("ok");
            default -> throw new Unsupported("operation " + request.path("op").asText());
        }
    }

    private void hello(ObjectNode ok) {
        ok.put("harness", 1).put("name", name()).put("version", version()).put("language", "java");
        ObjectNode declared = ok.putObject("protocols");
        protocols().forEach((name, names) -> {
            ObjectNode one = declared.putObject(name);
            one.putArray("roles").add("decode");
            one.putArray("events").add("row");
            ArrayNode list = one.putArray("options");
            names.forEach(list::add);
        });
    }

    private void configure(JsonNode request) {
        protocol = request.path("protocol").asText();
        if (!protocols().containsKey(protocol)) throw new Unsupported("protocol " + protocol);
        registry = request.path("registry_url").asText(null);
        options.clear();
        request.path("options").fields().forEachRemaining(one -> options.put(one.getKey(), one.getValue().asText()));
        if (request.hasNonNull("timezone")) TimeZone.setDefault(TimeZone.getTimeZone(request.get("timezone").asText()));
        configured();
    }

    /** Called after a `configure`, which may have changed protocol, options and registry. */
    protected void configured() {}

    private void decode(JsonNode request, ObjectNode answer) {
        JsonNode tables = request.path("tables");
        if (tables.isEmpty()) throw new Unsupported("a job declares its columns: `tables` is needed");
        List<ObjectNode> events = new ArrayList<>();
        ArrayNode raw = JSON.createArrayNode();
        for (JsonNode record : request.path("records")) {
            byte[] value = bytes(record, "value");
            JsonNode table = tables.size() == 1 ? tables.get(0) : tableOf(value, tables);
            List<Row> rows;
            try {
                rows = read(bytes(record, "key"), value, table);
            } catch (Unsupported e) {
                throw e;
            } catch (Throwable e) {
                answer.set("rejected", rejection(e));
                return;
            }
            ArrayNode rawRows = raw.addArray();
            for (Row row : rows) rawRows.addArray().add(row.kind()).add(object(row.values()));
            events(rows, table, events);
        }
        ObjectNode ok = answer.putObject("ok");
        ok.putArray("events").addAll(events);
        ok.set("raw", raw);
    }

    private static byte[] bytes(JsonNode record, String member) {
        return record.hasNonNull(member) ? Base64.getDecoder().decode(record.get(member).asText()) : null;
    }

    /** The one of several tables that a message names; the first if it names none of them. */
    private static JsonNode tableOf(byte[] value, JsonNode tables) {
        try {
            JsonNode message = JSON.readTree(value), source = message.path("payload").path("source");
            if (source.isMissingNode()) source = message.path("source");
            String name = source.isMissingNode() ? message.path("table").asText() : source.path("table").asText();
            for (JsonNode table : tables) if (table.path("name").asText().equals(name)) return table;
        } catch (Exception e) {
            return tables.get(0);
        }
        return tables.get(0);
    }

    private static ObjectNode object(Map<String, String> values) {
        ObjectNode found = JSON.createObjectNode();
        values.forEach(found::put);
        return found;
    }

    private void events(List<Row> rows, JsonNode table, List<ObjectNode> events) {
        Map<String, String> before = null;
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            // Paimon writes an update as a delete and an insert.
            boolean isHalfOfUpdate = row.kind().equals("-D") && i + 1 < rows.size() && rows.get(i + 1).kind().equals("+I");
            if (row.kind().equals("-U") || isHalfOfUpdate) {
                before = row.values();
                continue;
            }
            boolean isDelete = row.kind().equals("-D");
            ObjectNode event = JSON.createObjectNode().put("kind", "row");
            event.put("op", isDelete ? "delete" : before != null ? "update" : row.kind().equals("+I") ? "insert" : "upsert");
            event.put("schema", table.path("schema").asText()).put("table", table.path("name").asText());
            event.set("before", isDelete ? values(row.values(), table) : before == null ? null : values(before, table));
            event.set("after", isDelete ? null : values(row.values(), table));
            before = null;
            events.add(event);
        }
    }

    private ObjectNode values(Map<String, String> row, JsonNode table) {
        ObjectNode found = JSON.createObjectNode();
        for (JsonNode column : table.path("columns")) {
            String name = column.path("name").asText();
            if (row.containsKey(name)) Values.put(found, name, row.get(name), MysqlType.of(column), isCanal());
        }
        return found;
    }

    private ObjectNode rejection(Throwable thrown) {
        StringBuilder message = new StringBuilder();
        Throwable root = thrown;
        for (Throwable one = thrown; one != null; one = one.getCause()) {
            String text = String.valueOf(one.getMessage()).replace('\n', ' ');
            if (text.length() > LONGEST) text = text.substring(0, LONGEST) + "…";
            message.append(message.isEmpty() ? "" : " <- ").append(one.getClass().getSimpleName()).append(": ").append(text);
            root = one;
        }
        ObjectNode rejected = JSON.createObjectNode().put("class", classOf(message.toString())).put("message", message.toString());
        StackTraceElement[] trace = root.getStackTrace();
        if (trace.length > 0) rejected.put("origin", trace[0].getFileName() + ":" + trace[0].getLineNumber());
        return rejected;
    }

    /** The class of rejection that is nearest to the consumer's exceptions. */
    private static String classOf(String message) {
        if (message.contains("JsonParse") || message.contains("JsonEOF") || message.contains("JSONException")) return "syntax";
        if (message.contains("NumberFormat") || message.contains("DateTime")) return "type";
        return message.contains("nknown") || message.contains("nsupported") ? "type" : "schema";
    }

    /** An empty row, which keeps the order of its columns. */
    protected static Map<String, String> row() {
        return new LinkedHashMap<>();
    }
}
