package rebalancesim;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;

/** A partition of the offsets topic: its log, and Kafka's own coordinator over it while somebody leads it. */
final class Shard {
    private final Release release;
    private final int number;
    private final Clock clock;
    private final long sessionMs;
    private final Map<String, Long> sessions;
    private final Books books;
    private final List<Object> log = new ArrayList<>();
    private final RequestContext context = context();
    private Object coordinator;
    private Timers timers;
    private Tasks tasks;
    private Asked asked;
    private RuntimeException lastFailure;

    Shard(Release release, int number, Clock clock, long sessionMs, Map<String, Long> sessions, Books books) {
        this.release = release;
        this.number = number;
        this.clock = clock;
        this.sessionMs = sessionMs;
        this.sessions = sessions;
        this.books = books;
    }

    boolean isUp() {
        return coordinator != null;
    }

    /** All that is not in the log is lost. */
    void down() {
        coordinator = null;
        timers = new Timers(clock);
        tasks = new Tasks();
    }

    /** A new coordinator replays the log. */
    void up(MetadataImage image) {
        down();
        coordinator = release.shard(number, clock, timers, tasks, sessionMs, sessions);
        for (int offset = 0; offset < log.size(); offset++) {
            release.replay(coordinator, offset, log.get(offset));
        }
        release.loaded(coordinator, image);
    }

    void newImage(MetadataImage image, MetadataDelta delta) {
        if (isUp()) {
            release.newImage(coordinator, image, delta);
            if (delta.topicsDelta() != null && !delta.topicsDelta().deletedTopicIds().isEmpty()) {
                attempt(null, null, () ->
                    append(release.cleanUpShares(coordinator, delta.topicsDelta().deletedTopicIds())));
            }
        }
    }

    /** What a share group has asked for, and of which coordinator. */
    record Asked(Object of, String group, Map<org.apache.kafka.common.Uuid, java.util.Set<Integer>> partitions) { }

    /** Partitions have their state, if the coordinator that asked is still there. */
    void initialised(Asked asked) {
        if (asked.of() == coordinator) {
            attempt(asked.group(), null, () ->
                append(release.initialised(coordinator, asked.group(), asked.partitions())));
        }
    }

    Asked takeAsked() {
        Asked taken = asked;
        asked = null;
        return taken;
    }

    private boolean otherHeartbeat(Client client) {
        return attempt(client.group, client.name, () -> {
            Object answer = release.otherHeartbeat(coordinator, context, client.otherHeartbeat());
            append(release.recordsOf(answer));
            Object response = release.responseOf(answer);
            client.answered(Others.epoch(response), Others.tasks(response));
            var partitions = Others.asked(response);
            if (!partitions.isEmpty()) {
                asked = new Asked(coordinator, client.group, partitions);
            }
        });
    }

    /** The member's heartbeat, its response taken in; false where Kafka threw. */
    boolean heartbeat(Client client) {
        if (client.isOfAnotherKind()) {
            return otherHeartbeat(client);
        }
        return attempt(client.group, client.name, () -> {
            Release.Beat beat = release.heartbeat(coordinator, context, client.heartbeat(release));
            append(beat.records());
            client.answered(beat.response());
        });
    }

    /** A leave; false where Kafka threw. */
    boolean leave(Client client, ConsumerGroupHeartbeatRequestData request) {
        if (client.isOfAnotherKind()) {
            return attempt(client.group, client.name, () ->
                append(release.recordsOf(release.otherHeartbeat(coordinator, context, Others.leave(client)))));
        }
        return attempt(client.group, client.name, () ->
            append(release.heartbeat(coordinator, context, request).records()));
    }

    void deleteGroup(String group) {
        attempt(group, null, () -> append(release.deleteGroup(coordinator, context, group)));
    }

    /**
     * A member whose heartbeat failed keeps its session; one whose return failed keeps that of its former id, unless it
     * was refused: Kafka never heard that the former one went, and waits for the end of its session.
     */
    void renewSession(Client client, long session) {
        timers.renew(client.memberId(), session);
        if (client.formerId() != null && !(lastFailure instanceof UnreleasedInstanceIdException)) {
            timers.renew(client.formerId(), session);
        }
    }

    /** A member whose leave failed is taken out by the leave that is tried again, not by its session beside it. */
    void endSession(Client client) {
        timers.cancelAll(client.memberId());
    }

    long nextTimer() {
        return isUp() ? timers.next() - Clock.START : Long.MAX_VALUE;
    }

    void fireTimers() {
        if (isUp()) {
            for (Supplier<List<?>> due = timers.due(); due != null; due = timers.due()) {
                Supplier<List<?>> operation = due;
                attempt(null, null, () -> append(operation.get()));
            }
        }
    }

    /** Runs what was handed to the executor; true if there was something. */
    boolean runTasks() {
        boolean ran = false;
        for (Supplier<List<?>> task = isUp() ? tasks.next() : null; task != null; task = tasks.next()) {
            Supplier<List<?>> operation = task;
            attempt(null, null, () -> append(operation.get()));
            ran = true;
        }
        return ran;
    }

    /** Writes a record of another's making, as a release before this one would have left it. */
    void append(List<?> records) {
        for (Object record : records) {
            release.replay(coordinator, log.size(), record);
            log.add(record);
            books.written(clock.history(), release.key(record), release.value(record));
        }
    }

    List<Object> log() {
        return log;
    }

    private boolean attempt(String group, String member, Runnable operation) {
        try {
            operation.run();
            return true;
        } catch (RuntimeException e) {
            lastFailure = e;
            books.failed(clock.history(), group, member, e);
            return false;
        }
    }

    private static RequestContext context() {
        try {
            var header = new RequestHeader(
                ApiKeys.CONSUMER_GROUP_HEARTBEAT, ApiKeys.CONSUMER_GROUP_HEARTBEAT.latestVersion(), "client", 0);
            return new RequestContext(header, "1", InetAddress.getByName("10.0.0.1"), KafkaPrincipal.ANONYMOUS,
                new ListenerName("PLAINTEXT"), SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, false);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
