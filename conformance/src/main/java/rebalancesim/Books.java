package rebalancesim;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is told of a history: epoch bumps as they come, then records by group and type, then what failed. */
final class Books {
    /** Epoch records of consumer, share and streams groups. */
    private static final List<Short> GROUP_METADATA = List.of((short) 3, (short) 11, (short) 17);
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final class Sum {
        long records;
        long bytes;
        long tombstones;
        long tombstoneBytes;
    }

    private final PrintStream out;
    private final Map<String, TreeMap<Short, Sum>> sums = new TreeMap<>();
    private final Map<String, Integer> firstEpochs = new TreeMap<>();
    private final Map<String, Integer> epochs = new TreeMap<>();
    private final Map<String, Long> failures = new TreeMap<>();
    private boolean counting;
    private long written;

    Books(PrintStream out) {
        this.out = out;
    }

    /** From here on it counts: groups stand, with these epochs by the history; whose was never written has that one. */
    void begin(Map<String, Integer> standing, int unwritten) {
        counting = true;
        firstEpochs.putAll(standing);
        firstEpochs.replaceAll((group, epoch) -> epoch - epochs.getOrDefault(group, unwritten));
        failures.clear();
    }

    /** Records written, counted or not. */
    long records() {
        return written;
    }

    void written(long at, byte[] key, byte[] value) {
        written += 1;
        ByteBuffer buffer = ByteBuffer.wrap(key);
        short type = buffer.getShort();
        byte[] name = new byte[buffer.getShort()];
        buffer.get(name);
        String group = new String(name, StandardCharsets.UTF_8);
        if (GROUP_METADATA.contains(type) && value != null) {
            epochs.put(group, ByteBuffer.wrap(value).getInt(2));
        }
        if (!counting) {
            return;
        }
        Sum sum = sums.computeIfAbsent(group, g -> new TreeMap<>()).computeIfAbsent(type, t -> new Sum());
        if (value == null) {
            sum.tombstones += 1;
            sum.tombstoneBytes += key.length;
        } else {
            sum.records += 1;
            sum.bytes += key.length + value.length;
        }
        if (GROUP_METADATA.contains(type) && value != null) {
            ObjectNode line = line("bump").put("at_ms", at).put("group", group)
                .put("epoch", epochs.get(group) + firstEpochs.getOrDefault(group, 0));
            Long hash = type == 3 ? hash(value) : fieldHash(value);
            print(hash == null ? line.putNull("hash") : line.put("hash", String.format("%016x", hash)));
        }
    }

    /** The tagged hash of a ConsumerGroupMetadata value: version, epoch, tags (the hash is tag 0, of eight bytes). */
    private static Long hash(byte[] value) {
        boolean hasHash = value.length >= 17 && value[6] >= 1 && value[7] == 0 && value[8] == 8;
        return hasHash ? ByteBuffer.wrap(value).getLong(9) : null;
    }

    /** The hash of a ShareGroupMetadata or StreamsGroupMetadata value: a field behind version and epoch, from 4.1 on. */
    private static Long fieldHash(byte[] value) {
        return value.length >= 15 ? ByteBuffer.wrap(value).getLong(6) : null;
    }

    void failed(long at, String group, String member, RuntimeException error) {
        if (System.getenv("REBALANCE_SIM_STACKS") != null) {
            error.printStackTrace();
        }
        String what = error.getClass().getSimpleName();
        failures.merge(what, 1L, Long::sum);
        if (counting && failures.get(what) == 1) {
            print(line("failed").put("at_ms", at).put("group", group).put("member", member).put("error", what)
                .put("message", String.valueOf(error.getMessage())));
        }
    }

    void begun(String history) {
        print(line("answer").put("history", history));
    }

    /** `heartbeats`: how many reached an active coordinator. */
    void end(long heartbeats) {
        sums.forEach((group, types) -> types.forEach((type, sum) -> print(line("records").put("group", group)
            .put("type", type.intValue()).put("records", sum.records).put("bytes", sum.bytes)
            .put("tombstones", sum.tombstones).put("tombstone_bytes", sum.tombstoneBytes))));
        failures.forEach((what, times) -> print(line("failures").put("error", what).put("times", times)));
        print(line("end").put("heartbeats", heartbeats));
        out.flush();
    }

    /** The history could not be played to its end. */
    void broken(String why) {
        print(line("broken").put("why", why));
        out.flush();
    }

    private static ObjectNode line(String what) {
        return JSON.createObjectNode().put("line", what);
    }

    private void print(ObjectNode line) {
        out.println(line);
    }
}
