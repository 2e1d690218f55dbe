package rebalancesim.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataKey;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupMetadataValue;

/** Every epoch of every group, read from the group metadata records in {@code __consumer_offsets}. */
final class Epochs {
    private static final short TYPE = 3;

    /** A record: when it was written, whose, and what it says. */
    record Epoch(long at, String group, int epoch, Long hash) { }

    private Epochs() { }

    static List<Epoch> read(String bootstrap) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("exclude.internal.topics", "false");
        List<Epoch> all = new ArrayList<>();
        var bytes = new ByteArrayDeserializer();
        try (var consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
            var partitions = consumer.partitionsFor("__consumer_offsets").stream()
                .map(p -> new TopicPartition(p.topic(), p.partition())).toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> add(all, record));
            }
        }
        all.sort((a, b) -> Long.compare(a.at(), b.at()));
        return all;
    }

    private static void add(List<Epoch> all, ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null || record.value() == null || record.key().length < 2) {
            return;
        }
        var key = new ByteBufferAccessor(java.nio.ByteBuffer.wrap(record.key()));
        if (key.readShort() != TYPE) {
            return;
        }
        String group = new ConsumerGroupMetadataKey(key, (short) 0).groupId();
        var value = new ByteBufferAccessor(java.nio.ByteBuffer.wrap(record.value()));
        var said = new ConsumerGroupMetadataValue(value, value.readShort());
        all.add(new Epoch(record.timestamp(), group, said.epoch(), hash(said)));
    }

    /** Since 4.1 the record has a hash; asked for by name, so that this compiles for every release. */
    private static Long hash(ConsumerGroupMetadataValue value) {
        try {
            return (Long) Objects.requireNonNull(value.getClass().getMethod("metadataHash").invoke(value));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
