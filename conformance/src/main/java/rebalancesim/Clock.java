package rebalancesim;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;

/** The history's clock, handed to Kafka as its own. Time 0 of the history is {@link #START}. */
final class Clock implements Time {
    /** Far enough from 0 that Kafka never sees a time that means "never". */
    static final long START = 1_000_000_000L;

    private long now = START;

    /** Moves to a time of the history. */
    void move(long historyMs) {
        now = START + historyMs;
    }

    /** The time of the history. */
    long history() {
        return now - START;
    }

    @Override
    public long milliseconds() {
        return now;
    }

    @Override
    public long nanoseconds() {
        return TimeUnit.MILLISECONDS.toNanos(now);
    }

    @Override
    public void sleep(long ms) {
        throw new IllegalStateException("nobody sleeps here");
    }

    /** Part of the interface before 4.4. */
    public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {
        throw new IllegalStateException("nobody waits here");
    }
}
