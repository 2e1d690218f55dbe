package rebalancesim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.TopicImage;

/** The cluster's metadata: Kafka's own images, moved on by the metadata records that a delta of the history stands for. */
final class Cluster {
    /** A metadata version that every release from 3.9 on knows: 3.9-IV0. */
    private static final short METADATA_VERSION = 21;

    private final Release release;
    private MetadataImage image = MetadataImage.EMPTY;
    private MetadataDelta delta;
    private long version;
    private final Map<Integer, Long> brokerEpochs = new HashMap<>();
    private long nextBrokerEpoch = 1;

    Cluster(Release release) {
        this.release = release;
        delta = release.delta(image);
        delta.replay(new FeatureLevelRecord().setName("metadata.version").setFeatureLevel(METADATA_VERSION));
    }

    MetadataImage image() {
        return image;
    }

    /** What has been replayed since the last image becomes one; the delta that led to it. */
    MetadataDelta publish() {
        MetadataDelta published = delta;
        version += 1;
        image = release.apply(published, version);
        delta = release.delta(image);
        return published;
    }

    void register(int broker, String rack, boolean fenced) {
        brokerEpochs.put(broker, nextBrokerEpoch++);
        delta.replay(new RegisterBrokerRecord()
            .setBrokerId(broker)
            .setBrokerEpoch(brokerEpochs.get(broker))
            .setIncarnationId(new Uuid(broker, brokerEpochs.get(broker)))
            .setRack(rack)
            .setFenced(fenced));
    }

    /** A topic with its partitions' replicas, all in sync. */
    void create(String topic, Uuid id, JsonNode replicas) {
        delta.replay(new TopicRecord().setName(topic).setTopicId(id));
        for (int p = 0; p < replicas.size(); p++) {
            List<Integer> list = numbers(replicas.get(p));
            delta.replay(new PartitionRecord().setTopicId(id).setPartitionId(p)
                .setReplicas(list).setIsr(list).setLeader(list.get(0)).setLeaderEpoch(1).setPartitionEpoch(1));
        }
    }

    /** Replays the records behind a delta of the history. */
    void replay(JsonNode line) {
        line.get("brokers").forEach(this::broker);
        line.get("topics").forEach(this::topic);
    }

    private void broker(JsonNode change) {
        int broker = change.get("broker").asInt();
        switch (change.get("event").asText()) {
            case "registered" -> register(broker, Lines.text(change, "rack"), true);
            case "unregistered" -> delta.replay(new UnregisterBrokerRecord()
                .setBrokerId(broker).setBrokerEpoch(brokerEpochs.get(broker)));
            case "fenced" -> fence(broker, (byte) 1);
            case "unfenced" -> fence(broker, (byte) -1);
            default -> throw new IllegalArgumentException("a broker's change is no " + change.get("event"));
        }
    }

    private void fence(int broker, byte fenced) {
        delta.replay(new BrokerRegistrationChangeRecord()
            .setBrokerId(broker).setBrokerEpoch(brokerEpochs.get(broker)).setFenced(fenced));
    }

    private void topic(JsonNode change) {
        String name = change.get("topic").asText();
        TopicImage before = image.topics().getTopic(name);
        switch (change.get("event").asText()) {
            case "deleted" -> delta.replay(new RemoveTopicRecord().setTopicId(before.id()));
            case "created" -> {
                Uuid id = Lines.uuid(change.get("id").asText());
                // with the id that it has, it comes from a snapshot
                if (before != null && !before.id().equals(id)) {
                    delta.replay(new RemoveTopicRecord().setTopicId(before.id()));
                }
                delta.replay(new TopicRecord().setName(name).setTopicId(id));
                change.get("partitions").forEach(partition -> delta.replay(created(id, partition)));
            }
            case "changed" -> {
                for (JsonNode partition : change.path("partitions")) {
                    boolean known = before.partitions().containsKey(partition.get("partition").asInt());
                    delta.replay(known ? changed(before.id(), partition) : created(before.id(), partition));
                }
            }
            default -> throw new IllegalArgumentException("a topic's change is no " + change.get("event"));
        }
    }

    private static PartitionRecord created(Uuid topic, JsonNode partition) {
        return new PartitionRecord()
            .setTopicId(topic)
            .setPartitionId(partition.get("partition").asInt())
            .setReplicas(numbers(partition.get("replicas")))
            .setIsr(numbers(partition.get("isr")))
            .setLeader(leader(partition))
            .setLeaderEpoch(1)
            .setPartitionEpoch(1)
            .setAddingReplicas(numbers(partition.path("adding")))
            .setRemovingReplicas(numbers(partition.path("removing")));
    }

    private static PartitionChangeRecord changed(Uuid topic, JsonNode partition) {
        return new PartitionChangeRecord()
            .setTopicId(topic)
            .setPartitionId(partition.get("partition").asInt())
            .setReplicas(numbers(partition.get("replicas")))
            .setIsr(numbers(partition.get("isr")))
            .setLeader(leader(partition))
            .setAddingReplicas(numbers(partition.path("adding")))
            .setRemovingReplicas(numbers(partition.path("removing")));
    }

    private static int leader(JsonNode partition) {
        JsonNode leader = partition.get("leader");
        return leader == null || leader.isNull() ? -1 : leader.asInt();
    }

    private static List<Integer> numbers(JsonNode list) {
        List<Integer> numbers = new ArrayList<>();
        list.forEach(number -> numbers.add(number.asInt()));
        return numbers;
    }
}
