package rebalancesim;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;

/** A member as its client would be: its epoch, what it owns, and what it still has to say. */
final class Client {
    private static final int REBALANCE_TIMEOUT_MS = 300_000;
    private static final int LEAVES = -1;
    private static final int LEAVES_FOR_A_WHILE = -2;

    final String group;
    final String name;
    /** consumer, share or streams. */
    final String protocol;
    /** Place of its group, and its own place within, in the order of names. */
    final int groupPlace;
    final int place;
    final boolean standing;
    private final boolean isStatic;
    private final String rack;
    private List<String> topics;
    private String pattern;

    private String memberId = "";
    /** Under which id a static member was known, for as long as its return fails. */
    private String formerId;
    private int incarnation;
    private int epoch;
    private boolean joining;
    private boolean joined;
    private boolean resubscribes;
    private boolean hasNews;
    private List<ConsumerGroupHeartbeatRequestData.TopicPartitions> owned = List.of();
    /** Active, standby and warm-up tasks of a streams member, where it has news of them. */
    private List<List<Object>> tasks = List.of();

    Client(JsonNode line, String protocol, int groupPlace, int place) {
        this.protocol = protocol;
        group = line.get("group").asText();
        name = line.get("member").asText();
        this.groupPlace = groupPlace;
        this.place = place;
        standing = line.get("standing").asBoolean();
        isStatic = line.get("is_static").asBoolean();
        rack = Lines.text(line, "rack");
        topics = Lines.texts(line.get("topics"));
        pattern = Lines.text(line, "pattern");
    }

    String memberId() {
        return memberId;
    }

    /** Null, unless its return fails. */
    String formerId() {
        return formerId;
    }

    boolean usesPattern() {
        return pattern != null;
    }

    /** Its next heartbeat joins, as a new incarnation. */
    void join() {
        formerId = null;
        incarnation += 1;
        memberId = idOf(group + "/" + name + "/" + incarnation);
        epoch = 0;
        joining = true;
        joined = false;
    }

    /** A static member is back before its session is over: its next heartbeat joins, under a new id. */
    void back() {
        String former = memberId;
        join();
        formerId = former;
    }

    /** Its next heartbeat carries another subscription. */
    void subscribe(List<String> newTopics, String newPattern) {
        topics = newTopics;
        pattern = newPattern;
        resubscribes = !joining;
    }

    /** Has it something to heartbeat for? */
    boolean isIn() {
        return joining || joined;
    }

    /** Has its join failed so far? Then there is nothing to leave. */
    boolean neverJoined() {
        return !joined;
    }

    /** It will not heartbeat again before it joins anew. */
    void gone() {
        joining = false;
        joined = false;
    }

    ConsumerGroupHeartbeatRequestData heartbeat(Release release) {
        var request = new ConsumerGroupHeartbeatRequestData()
            .setGroupId(group).setMemberId(memberId).setMemberEpoch(epoch);
        if (joining) {
            request.setInstanceId(isStatic ? name : null)
                .setRackId(rack)
                .setRebalanceTimeoutMs(REBALANCE_TIMEOUT_MS)
                .setTopicPartitions(List.of());
        } else if (hasNews) {
            request.setTopicPartitions(owned);
        }
        if (joining || resubscribes) {
            request.setSubscribedTopicNames(topics);
            if (release.hasPatterns()) {
                release.setRegex(request, pattern == null && resubscribes ? "" : pattern);
            }
        }
        return request;
    }

    boolean isOfAnotherKind() {
        return !protocol.equals("consumer");
    }

    Object otherHeartbeat() {
        return Others.heartbeat(this, epoch, joining, joining || resubscribes, rack, topics, tasks);
    }

    /** What it was answered; a streams member gives back at once what it no longer has, and says so. */
    void answered(int memberEpoch, List<List<Object>> newTasks) {
        joined = true;
        joining = false;
        resubscribes = false;
        epoch = memberEpoch;
        tasks = newTasks;
    }

    ConsumerGroupHeartbeatRequestData leave() {
        return new ConsumerGroupHeartbeatRequestData()
            .setGroupId(group).setMemberId(memberId).setMemberEpoch(LEAVES).setInstanceId(isStatic ? name : null);
    }

    ConsumerGroupHeartbeatRequestData leaveForAWhile() {
        return leave().setMemberEpoch(LEAVES_FOR_A_WHILE);
    }

    /** What it was answered: it owns what it was assigned, and says so at its next heartbeat. */
    void answered(ConsumerGroupHeartbeatResponseData response) {
        joined = true;
        joining = false;
        formerId = null;
        resubscribes = false;
        hasNews = false;
        epoch = response.memberEpoch();
        if (response.assignment() != null) {
            owned = new ArrayList<>();
            response.assignment().topicPartitions().forEach(topic -> owned.add(
                new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                    .setTopicId(topic.topicId()).setPartitions(topic.partitions())));
            hasNews = true;
        }
    }

    /** 22 characters, as a client's own id has. */
    private static String idOf(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest).substring(0, 22);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
