import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;

/** Values as text: as a consumer holds them, and as the harness protocol writes them. */
final class Values {
    private static final String CLOCK = "HH:mm:ss";

    private Values() {}

    /** A value of a consumer as text: bytes in base64, numbers without an exponent. */
    static String text(Object value) {
        if (value == null) return null;
        if (value instanceof byte[] bytes) return Base64.getEncoder().encodeToString(bytes);
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return text(bytes);
        }
        if (value instanceof BigDecimal number) return number.toPlainString();
        if (value instanceof LocalDateTime moment) return written(moment.getNano(), "yyyy-MM-dd ", moment::format);
        if (value instanceof LocalTime time) return written(time.getNano(), "", time::format);
        return value.toString();
    }

    private interface Formatted {
        String format(DateTimeFormatter formatter);
    }

    private static String written(int nanos, String day, Formatted of) {
        String fraction = nanos == 0 ? "" : nanos % 1000 == 0 ? ".SSSSSS" : ".SSSSSSSSS";
        return of.format(DateTimeFormatter.ofPattern(day.replace('y', 'u') + CLOCK + fraction));
    }

    /** Puts a consumer's text of a column into a row of the harness protocol. */
    static void put(ObjectNode row, String name, String text, MysqlType type, boolean isCanal) {
        if (text == null) {
            row.putNull(name);
            return;
        }
        switch (type.base()) {
            case "enum" -> indexed(row, name, text, isCanal, "index");
            case "set" -> indexed(row, name, text, isCanal, "mask");
            case "boolean", "bool", "tinyint" -> row.put(name, text.equals("true") ? "1" : text.equals("false") ? "0" : text);
            case "bit" -> row.put(name, bits(text, type, isCanal));
            case "decimal", "numeric" -> row.put(name, scaled(text, Math.max(0, type.scale())));
            case "time", "datetime", "timestamp" -> row.put(name, fraction(text, Math.max(0, type.length())));
            default -> row.put(name, text);
        }
    }

    /** Canal's messages have the number of an ENUM or SET, Debezium's the labels. */
    private static void indexed(ObjectNode row, String name, String text, boolean isCanal, String member) {
        if (isCanal && text.matches("\\d+")) row.putObject(name).put(member, text);
        else row.put(name, text);
    }

    private static String bits(String text, MysqlType type, boolean isCanal) {
        if (type.length() <= 1) return text.equals("true") ? "1" : text.equals("false") ? "0" : text;
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            for (int i = 0, j = bytes.length - 1; !isCanal && i < j; i++, j--) { // Debezium's are little-endian
                byte kept = bytes[i];
                bytes[i] = bytes[j];
                bytes[j] = kept;
            }
            return new BigInteger(1, bytes).toString();
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static String scaled(String text, int scale) {
        try {
            return new BigDecimal(text).setScale(scale).toPlainString();
        } catch (ArithmeticException | NumberFormatException e) {
            return text;
        }
    }

    private static String fraction(String text, int digits) {
        int point = text.indexOf('.');
        String whole = point < 0 ? text : text.substring(0, point);
        StringBuilder fraction = new StringBuilder(point < 0 ? "" : text.substring(point + 1).replaceAll("0+$", ""));
        while (fraction.length() < digits) fraction.append('0');
        return fraction.isEmpty() ? whole : whole + "." + fraction;
    }
}
