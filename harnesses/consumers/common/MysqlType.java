import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A column type of MySQL: its name, and the numbers in its parentheses, -1 for an absent one. */
record MysqlType(String base, int length, int scale, boolean isUnsigned) {
    private static final Pattern FORM = Pattern.compile("([a-z]+)\\s*(?:\\(\\s*(\\d+)\\s*(?:,\\s*(\\d+)\\s*)?\\))?.*", Pattern.DOTALL);

    static MysqlType of(JsonNode column) {
        String text = column.path("type").asText().toLowerCase(Locale.ROOT).trim();
        Matcher found = FORM.matcher(text);
        if (!found.matches()) return new MysqlType(text, -1, -1, false);
        return new MysqlType(found.group(1), number(found.group(2)), number(found.group(3)), text.contains("unsigned"));
    }

    private static int number(String digits) {
        return digits == null ? -1 : Integer.parseInt(digits);
    }

    boolean isBytes() {
        return base.endsWith("blob") || base.endsWith("binary");
    }
}
