package rebalancesim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Histories as JSON Lines on standard input, one after another; what Kafka's coordinator did on standard output. */
public final class Main {
    private Main() { }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        ObjectMapper json = new ObjectMapper();
        Release release = new Release();
        List<JsonNode> lines = new ArrayList<>();
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                if (text.isBlank()) {
                    continue;
                }
                JsonNode line = json.readTree(text);
                if (line.get("line").asText().equals("header") && !lines.isEmpty()) {
                    play(release, lines, out);
                    lines.clear();
                }
                lines.add(line);
            }
        }
        if (!lines.isEmpty()) {
            play(release, lines, out);
        }
    }

    private static void play(Release release, List<JsonNode> lines, PrintStream out) {
        Books books = new Books(out);
        try {
            new Replay(release, books).play(lines);
        } catch (RuntimeException e) {
            e.printStackTrace();
            books.broken(e.toString());
        }
    }
}
