package rebalancesim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** A shard's timers on the history's clock: session and rebalance timeouts, as Kafka schedules them. */
final class Timers {
    /** What Kafka's own timer waits before it tries a failed operation again. */
    private static final long RETRY_MS = 500;

    /** In order of deadline, then of scheduling. */
    private record Place(long deadline, long number) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int by = Long.compare(deadline, other.deadline);
            return by != 0 ? by : Long.compare(number, other.number);
        }
    }

    private record Scheduled(String key, boolean retry, Supplier<List<?>> operation) { }

    private final Clock clock;
    private final TreeMap<Place, Scheduled> queue = new TreeMap<>();
    private final Map<String, Place> places = new HashMap<>();
    private long number;

    Timers(Clock clock) {
        this.clock = clock;
    }

    void schedule(String key, long delayMs, boolean retry, Supplier<List<?>> operation) {
        cancel(key);
        // expired offsets take their group with them; when a group goes is the history's
        if (key.equals("expire-group-metadata")) {
            return;
        }
        Place place = new Place(clock.milliseconds() + delayMs, number++);
        queue.put(place, new Scheduled(key, retry, operation));
        places.put(key, place);
    }

    void cancel(String key) {
        Place place = places.remove(key);
        if (place != null) {
            queue.remove(place);
        }
    }

    boolean isScheduled(String key) {
        return places.containsKey(key);
    }

    /** The deadlines of the timers whose key has this in it move to `delayMs` from now. */
    void renew(String inKey, long delayMs) {
        for (String key : List.copyOf(places.keySet())) {
            if (key.contains(inKey)) {
                Scheduled moved = queue.get(places.get(key));
                schedule(key, delayMs, moved.retry, moved.operation);
            }
        }
    }

    /** The timers whose key has this in it never come. */
    void cancelAll(String inKey) {
        for (String key : List.copyOf(places.keySet())) {
            if (key.contains(inKey)) {
                cancel(key);
            }
        }
    }

    /** The earliest deadline, or `Long.MAX_VALUE`. */
    long next() {
        return queue.isEmpty() ? Long.MAX_VALUE : queue.firstKey().deadline;
    }

    /** One that is due now, taken off the queue. */
    Supplier<List<?>> due() {
        if (next() > clock.milliseconds()) {
            return null;
        }
        Scheduled due = queue.pollFirstEntry().getValue();
        places.remove(due.key);
        return () -> {
            try {
                return due.operation.get();
            } catch (RuntimeException e) {
                if (due.retry && !isScheduled(due.key)) {
                    schedule(due.key, RETRY_MS, true, due.operation);
                }
                throw e;
            }
        };
    }
}
