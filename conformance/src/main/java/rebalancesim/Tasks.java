package rebalancesim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What a shard has handed to its executor: patterns to resolve, and from 4.3 on assignments to compute. */
final class Tasks {
    private final Map<String, Supplier<List<?>>> waiting = new LinkedHashMap<>();

    boolean schedule(String key, Supplier<List<?>> task) {
        return waiting.putIfAbsent(key, task) == null;
    }

    boolean isScheduled(String key) {
        return waiting.containsKey(key);
    }

    void cancel(String key) {
        waiting.remove(key);
    }

    /** The one that waited longest, or null. */
    Supplier<List<?>> next() {
        var entries = waiting.entrySet().iterator();
        if (!entries.hasNext()) {
            return null;
        }
        Supplier<List<?>> task = entries.next().getValue();
        entries.remove();
        return task;
    }
}
