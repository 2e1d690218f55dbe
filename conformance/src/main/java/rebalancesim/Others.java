package rebalancesim;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.Uuid;

/** What members of share and streams groups say. Releases without such groups never come here, so all is found by name. */
final class Others {
    private static final String MESSAGES = "org.apache.kafka.common.message.";
    private static final int LEAVES = -1;
    private static final int REBALANCE_TIMEOUT_MS = 300_000;

    private static final List<String> TASKS = List.of("ActiveTasks", "StandbyTasks", "WarmupTasks");

    private Others() { }

    /** A member's heartbeat; with its subscription where it is to say it. */
    static Object heartbeat(Client client, int epoch, boolean joining, boolean says, String rack, List<String> topics,
        List<List<Object>> tasks) {
        Object request = message(client.protocol.equals("share") ? "ShareGroupHeartbeatRequestData"
            : "StreamsGroupHeartbeatRequestData");
        set(request, "GroupId", client.group);
        set(request, "MemberId", client.memberId());
        set(request, "MemberEpoch", epoch);
        if (joining) {
            set(request, "RackId", rack);
        }
        if (client.protocol.equals("share")) {
            if (says) {
                set(request, "SubscribedTopicNames", topics);
            }
        } else if (joining) {
            set(request, "RebalanceTimeoutMs", REBALANCE_TIMEOUT_MS);
            set(request, "Topology", topology(client.group, topics));
            set(request, "ActiveTasks", List.of());
            set(request, "StandbyTasks", List.of());
            set(request, "WarmupTasks", List.of());
            byte[] name = client.memberId().getBytes(StandardCharsets.UTF_8);
            set(request, "ProcessId", UUID.nameUUIDFromBytes(name).toString());
            set(request, "ClientTags", List.of());
        } else if (!tasks.isEmpty()) {
            for (int kind = 0; kind < TASKS.size(); kind++) {
                set(request, TASKS.get(kind), tasks.get(kind));
            }
        }
        return request;
    }

    static Object leave(Client client) {
        return heartbeat(client, LEAVES, false, false, null, null, List.of());
    }

    /** One subtopology; with repartition topics a first one that writes them and a second one that reads them. */
    private static Object topology(String group, List<String> topics) {
        List<String> repartition = topics.stream().filter(t -> isOwn(group, t, "-repartition")).toList();
        List<String> changelog = topics.stream().filter(t -> isOwn(group, t, "-changelog")).toList();
        List<String> sources = topics.stream().filter(t -> !repartition.contains(t) && !changelog.contains(t)).toList();
        List<Object> all = repartition.isEmpty()
            ? List.of(subtopology("0", sources, changelog, List.of(), List.of()))
            : List.of(subtopology("0", sources, List.of(), repartition, List.of()),
                subtopology("1", List.of(), changelog, List.of(), repartition));
        Object topology = message("StreamsGroupHeartbeatRequestData$Topology");
        set(topology, "Epoch", 0);
        set(topology, "Subtopologies", all);
        return topology;
    }

    private static boolean isOwn(String group, String topic, String ending) {
        return topic.startsWith(group + "-") && topic.endsWith(ending);
    }

    private static Object subtopology(
        String id, List<String> sources, List<String> changelog, List<String> sinks, List<String> read) {
        Object one = message("StreamsGroupHeartbeatRequestData$Subtopology");
        set(one, "SubtopologyId", id);
        set(one, "SourceTopics", sources);
        set(one, "SourceTopicRegex", List.of());
        set(one, "StateChangelogTopics", changelog.stream().map(Others::info).toList());
        set(one, "RepartitionSinkTopics", sinks);
        set(one, "RepartitionSourceTopics", read.stream().map(Others::info).toList());
        set(one, "CopartitionGroups", List.of());
        return one;
    }

    private static Object info(String name) {
        Object info = message("StreamsGroupHeartbeatRequestData$TopicInfo");
        set(info, "Name", name);
        return info;
    }

    /** The member's epoch in a response. */
    static int epoch(Object response) {
        if (response instanceof Map.Entry<?, ?> entry) {
            return (Integer) get(entry.getKey(), "memberEpoch");
        }
        return (Integer) get(get(response, "data"), "memberEpoch");
    }

    /** The tasks that a response assigns, as the next request says that it has them; nothing where it says nothing. */
    static List<List<Object>> tasks(Object response) {
        if (response instanceof Map.Entry<?, ?> || get(get(response, "data"), "activeTasks") == null) {
            return List.of();
        }
        Object data = get(response, "data");
        return TASKS.stream().map(kind -> {
            List<?> list = (List<?>) get(data, Character.toLowerCase(kind.charAt(0)) + kind.substring(1));
            return (list == null ? List.of() : list).stream().map(Others::owned).toList();
        }).toList();
    }

    private static Object owned(Object task) {
        Object owned = message("StreamsGroupHeartbeatRequestData$TaskIds");
        set(owned, "SubtopologyId", get(task, "subtopologyId"));
        set(owned, "Partitions", get(task, "partitions"));
        return owned;
    }

    /** The share partitions that a response asks to initialise. */
    static Map<Uuid, Set<Integer>> asked(Object response) {
        Map<Uuid, Set<Integer>> asked = new HashMap<>();
        if (response instanceof Map.Entry<?, ?> entry && entry.getValue() instanceof Optional<?> some && some.isPresent()) {
            Object data = get(some.get(), "groupTopicPartitionData");
            for (Object topic : (List<?>) get(data, "topicsData")) {
                Set<Integer> partitions = asked.computeIfAbsent((Uuid) get(topic, "topicId"), id -> new HashSet<>());
                ((List<?>) get(topic, "partitions")).forEach(p -> partitions.add((Integer) get(p, "partition")));
            }
        }
        return asked;
    }

    private static Object message(String name) {
        try {
            return Class.forName(MESSAGES + name).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void set(Object message, String field, Object value) {
        invoke(message, "set" + field, value);
    }

    private static Object get(Object from, String field) {
        return invoke(from, field);
    }

    private static Object invoke(Object target, String name, Object... arguments) {
        for (Method method : target.getClass().getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == arguments.length && !method.isBridge()) {
                try {
                    method.setAccessible(true);
                    return method.invoke(target, arguments);
                } catch (InvocationTargetException | IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        throw new IllegalStateException(target.getClass() + " has no " + name);
    }
}
