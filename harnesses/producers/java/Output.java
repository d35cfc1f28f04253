import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * The output of both programs: JSON lines on stdout; everything else that prints to System.out goes to stderr.
 *
 * {"reading":true} once the producer reads changes; {"topic", "partition"?, "key", "value", "headers"?} for every record,
 * bytes as base64; {"failed":"…"} when the producer gives up. The program ends when its stdin ends.
 */
final class Output {
    private final PrintStream lines = new PrintStream(new FileOutputStream(FileDescriptor.out), false);

    Output() {
        System.setOut(System.err);
        Thread end = new Thread(this::awaitEnd, "end of stdin");
        end.setDaemon(true);
        end.start();
    }

    private void awaitEnd() {
        try {
            while (System.in.read() >= 0) { }
        } catch (IOException e) {
            // A broken pipe is an end as well.
        }
        Runtime.getRuntime().halt(0);
    }

    /** The settings in arguments of the form name=value. */
    static Map<String, String> settings(String[] arguments) {
        Map<String, String> found = new TreeMap<>();
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            found.put(argument.substring(0, at), argument.substring(at + 1));
        }
        return found;
    }

    synchronized void reading() {
        line("{\"reading\":true}");
    }

    synchronized void failed(String message) {
        line("{\"failed\":" + quoted(message == null ? "without a message" : message) + "}");
    }

    synchronized void record(String topic, Integer partition, byte[] key, byte[] value, StringBuilder headers) {
        StringBuilder text = new StringBuilder("{\"topic\":").append(quoted(topic));
        if (partition != null) text.append(",\"partition\":").append(partition);
        text.append(",\"key\":").append(bytes(key)).append(",\"value\":").append(bytes(value));
        if (headers.length() > 0) text.append(",\"headers\":[").append(headers).append(']');
        line(text.append('}').toString());
    }

    /** Appends a header to the text of a record's headers. */
    static void header(StringBuilder headers, String name, byte[] value) {
        if (headers.length() > 0) headers.append(',');
        headers.append('[').append(quoted(name)).append(',').append(bytes(value)).append(']');
    }

    static byte[] utf8(Object text) {
        return text == null ? null : text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void line(String text) {
        byte[] data = (text + "\n").getBytes(StandardCharsets.UTF_8);
        lines.write(data, 0, data.length);
        lines.flush();
    }

    private static String bytes(byte[] data) {
        return data == null ? "null" : "\"" + Base64.getEncoder().encodeToString(data) + "\"";
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 0x20 || c > 0x7e) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        return out.append('"').toString();
    }
}
