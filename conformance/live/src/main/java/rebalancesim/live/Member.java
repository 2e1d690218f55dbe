package rebalancesim.live;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** One consumer of a group on the new protocol, polling on a thread of its own until it is told to leave. */
final class Member implements Runnable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread thread;

    Member(String bootstrap, String group, String rack, Collection<String> topics, String pattern) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", group);
        settings.put("group.protocol", "consumer");
        settings.put("client.rack", rack);
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        if (pattern == null) {
            consumer.subscribe(topics);
        } else {
            consumer.subscribe(new SubscriptionPattern(pattern));
        }
        thread = new Thread(this, group);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try {
            while (true) {
                consumer.poll(Duration.ofMillis(500));
            }
        } catch (WakeupException e) {
            consumer.close();
        }
    }

    /** It leaves its group, and tells the coordinator so. */
    void leave() throws InterruptedException {
        consumer.wakeup();
        thread.join(20_000);
    }
}
