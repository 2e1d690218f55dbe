package rebalancesim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;

/** Reads fields of a history's lines. */
final class Lines {
    private Lines() { }

    /** Null where it is null or missing. */
    static String text(JsonNode line, String field) {
        JsonNode value = line.get(field);
        return value == null || value.isNull() ? null : value.asText();
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    /** A time that never comes is null. */
    static long time(JsonNode line, String field) {
        JsonNode value = line.get(field);
        return value == null || value.isNull() ? Long.MAX_VALUE : value.asLong();
    }

    /** Thirty-two hexadecimal digits. */
    static Uuid uuid(String hex) {
        return new Uuid(Long.parseUnsignedLong(hex.substring(0, 16), 16), Long.parseUnsignedLong(hex.substring(16), 16));
    }
}
