package rebalancesim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;

/** Groups as JSON Lines on standard input; who gets what by Kafka's own assignors on standard output, a line each. */
public final class Assign {
    private final ObjectMapper json = new ObjectMapper();

    public static void main(String[] arguments) throws IOException {
        Assign assign = new Assign();
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String text = in.readLine(); text != null; text = in.readLine()) {
                out.println(assign.answer(assign.json.readTree(text)));
            }
        }
        out.flush();
    }

    private String answer(JsonNode group) throws IOException {
        Map<String, Map<String, Set<Integer>>> dealt = switch (group.get("assignor").asText()) {
            case "uniform" -> server(new UniformAssignor(), group);
            case "server-range" -> server(new RangeAssignor(), group);
            case "range" -> client(new org.apache.kafka.clients.consumer.RangeAssignor(), group);
            case "round-robin" -> client(new RoundRobinAssignor(), group);
            case "sticky" -> client(new StickyAssignor(), group);
            case "cooperative-sticky" -> client(new CooperativeStickyAssignor(), group);
            default -> throw new IllegalArgumentException(group.get("assignor").asText());
        };
        ObjectNode line = json.createObjectNode();
        dealt.forEach((member, topics) -> {
            ObjectNode own = line.putObject(member);
            topics.forEach((topic, partitions) -> {
                ArrayNode list = own.putArray(topic);
                partitions.forEach(list::add);
            });
        });
        return json.writeValueAsString(line);
    }

    private record Subscribed(Optional<String> rackId, Optional<String> instanceId, Set<Uuid> subscribedTopicIds)
        implements MemberSubscription { }

    private record Owned(Map<Uuid, Set<Integer>> partitions) implements MemberAssignment { }

    private static final class Spec implements GroupSpec {
        // as the coordinator makes it: a hash map by member id
        final Map<String, Subscribed> members = new HashMap<>();
        final Map<String, Owned> owned = new HashMap<>();

        @Override
        public Collection<String> memberIds() {
            return members.keySet();
        }

        @Override
        public SubscriptionType subscriptionType() {
            boolean same = members.values().stream().map(Subscribed::subscribedTopicIds).distinct().count() < 2;
            return same ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
        }

        @Override
        public boolean isPartitionAssigned(Uuid topic, int partition) {
            return owned.values().stream()
                .anyMatch(o -> o.partitions().getOrDefault(topic, Set.of()).contains(partition));
        }

        // an interface method from 4.1 on
        public boolean isPartitionAssignable(Uuid topic, int partition) {
            return true;
        }

        @Override
        public MemberSubscription memberSubscription(String member) {
            return members.get(member);
        }

        @Override
        public MemberAssignment memberAssignment(String member) {
            return owned.get(member);
        }
    }

    private static Map<String, Map<String, Set<Integer>>> server(ConsumerGroupPartitionAssignor assignor, JsonNode group) {
        Map<Uuid, JsonNode> topics = new HashMap<>();
        Map<String, Uuid> ids = new HashMap<>();
        for (JsonNode topic : group.get("topics")) {
            Uuid id = Lines.uuid(topic.get("id").asText());
            topics.put(id, topic);
            ids.put(topic.get("name").asText(), id);
        }
        Spec spec = new Spec();
        for (JsonNode member : group.get("members")) {
            Set<Uuid> subscribed = new HashSet<>();
            member.get("topics").forEach(name -> subscribed.add(ids.get(name.asText())));
            Map<Uuid, Set<Integer>> owned = new HashMap<>();
            member.get("owned").forEach(tp -> {
                // put, not computeIfAbsent: that would turn the order round within a bucket
                owned.putIfAbsent(ids.get(tp.get(0).asText()), new HashSet<>());
                owned.get(ids.get(tp.get(0).asText())).add(tp.get(1).asInt());
            });
            String id = member.get("id").asText();
            spec.members.put(id, new Subscribed(optional(member, "rack"), optional(member, "instance"), subscribed));
            spec.owned.put(id, new Owned(Collections.unmodifiableMap(owned)));
        }
        var describer = new SubscribedTopicDescriber() {
            @Override
            public int numPartitions(Uuid topic) {
                return topics.containsKey(topic) ? topics.get(topic).get("replicas").size() : -1;
            }

            @Override
            public Set<String> racksForPartition(Uuid topic, int partition) {
                Set<String> racks = new HashSet<>();
                topics.get(topic).get("replicas").get(partition).forEach(broker -> {
                    String rack = rack(group, broker.asInt());
                    if (rack != null) {
                        racks.add(rack);
                    }
                });
                return racks;
            }
        };
        Map<String, Map<String, Set<Integer>>> dealt = new TreeMap<>();
        assignor.assign(spec, describer).members().forEach((member, assignment) -> {
            var own = dealt.computeIfAbsent(member, m -> new TreeMap<>());
            assignment.partitions().forEach((topic, partitions) ->
                own.put(topics.get(topic).get("name").asText(), new TreeSet<>(partitions)));
        });
        return dealt;
    }

    private static Map<String, Map<String, Set<Integer>>> client(ConsumerPartitionAssignor assignor, JsonNode group) {
        Map<Integer, Node> nodes = new HashMap<>();
        for (int broker = 0; broker < group.get("racks").size(); broker++) {
            nodes.put(broker, new Node(broker, "b", 1, rack(group, broker)));
        }
        List<PartitionInfo> partitions = new ArrayList<>();
        for (JsonNode topic : group.get("topics")) {
            int number = 0;
            for (JsonNode list : topic.get("replicas")) {
                List<Node> replicas = new ArrayList<>();
                list.forEach(broker -> replicas.add(nodes.get(broker.asInt())));
                Node[] all = replicas.toArray(Node[]::new);
                partitions.add(new PartitionInfo(topic.get("name").asText(), number++, all[0], all, all));
            }
        }
        Cluster cluster = new Cluster("c", nodes.values(), partitions, Set.of(), Set.of());
        Map<String, ConsumerPartitionAssignor.Subscription> subscriptions = new HashMap<>();
        for (JsonNode member : group.get("members")) {
            String id = member.get("id").asText();
            List<String> topics = new ArrayList<>();
            member.get("topics").forEach(name -> topics.add(name.asText()));
            List<TopicPartition> owned = new ArrayList<>();
            member.get("owned").forEach(tp -> owned.add(new TopicPartition(tp.get(0).asText(), tp.get(1).asInt())));
            int generation = member.get("generation").asInt();
            Optional<String> instance = optional(member, "instance");
            java.nio.ByteBuffer data = null;
            if (assignor instanceof StickyAssignor && generation >= 0) {
                // an eager assignor has given all up when it joins: what it had, be it nothing, is in its own data
                StickyAssignor own = new StickyAssignor();
                own.onAssignment(new ConsumerPartitionAssignor.Assignment(owned),
                    new ConsumerGroupMetadata("g", generation, id, instance));
                data = own.subscriptionUserData(new HashSet<>(topics));
            }
            List<TopicPartition> told = assignor instanceof CooperativeStickyAssignor ? owned : List.of();
            var subscription = new ConsumerPartitionAssignor.Subscription(
                topics, data, told, generation, optional(member, "rack"));
            subscription.setGroupInstanceId(instance);
            subscriptions.put(id, subscription);
        }
        Map<String, Map<String, Set<Integer>>> dealt = new TreeMap<>();
        assignor.assign(cluster, new ConsumerPartitionAssignor.GroupSubscription(subscriptions)).groupAssignment()
            .forEach((member, assignment) -> {
                var own = dealt.computeIfAbsent(member, m -> new TreeMap<>());
                assignment.partitions().forEach(tp ->
                    own.computeIfAbsent(tp.topic(), t -> new TreeSet<>()).add(tp.partition()));
            });
        return dealt;
    }

    private static String rack(JsonNode group, int broker) {
        JsonNode rack = group.get("racks").get(broker);
        return rack.isNull() ? null : rack.asText();
    }

    private static Optional<String> optional(JsonNode member, String field) {
        return Optional.ofNullable(Lines.text(member, field));
    }
}
