package rebalancesim;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * What the release's own code of its strategy takes on this machine, on one topic of 1,000 partitions of three replicas in
 * racks with names of ten characters: median and quarters of many batches, in nanoseconds of processor time.
 */
final class Cpu {
    private static final int PARTITIONS = 1000;
    private static final int BATCHES = 60;
    private static final long WARM_UP_NS = 6_000_000_000L;
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static volatile Object sink;

    private interface Work {
        Object run() throws ReflectiveOperationException;
    }

    private Cpu() { }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Release release = new Release();
        MetadataImage image = image(release);
        Class<?> utils = find("org.apache.kafka.coordinator.group.Utils");
        Method topicHash = utils == null ? null : named(utils, "computeTopicHash");
        if (topicHash != null) {
            Object argument = topicHash.getParameterTypes()[1] == MetadataImage.class ? image : release.wrapped(image);
            measure("topic hash of 1,000 partitions", 20, () -> topicHash.invoke(null, "topic", argument));
            Method groupHash = named(utils, "computeGroupHash");
            for (int topics : new int[] {1, 10, 100}) {
                Map<String, Long> hashes = new HashMap<>();
                for (int i = 0; i < topics; i++) {
                    hashes.put("topic-" + i, 0x123456789abcdefL * (i + 1));
                }
                measure("group hash over " + topics + " cached topics", 2000, () -> groupHash.invoke(null, hashes));
            }
        }
        Class<?> group = find("org.apache.kafka.coordinator.group.modern.consumer.ConsumerGroup");
        Method compute = named(group, "computeSubscriptionMetadata");
        if (compute != null) {
            Object own = group(group.getConstructors()[0]);
            Object subscribed = subscribed();
            Work build = () -> compute.invoke(own, subscribed, image.topics(), image.cluster());
            Object stored = build.run();
            measure("metadata of 1,000 partitions built", 20, build);
            measure("metadata of 1,000 partitions built and compared", 20, () -> build.run().equals(stored));
        }
    }

    private static Object group(Constructor<?> constructor) throws ReflectiveOperationException {
        SnapshotRegistry registry = Heap.registry();
        Object[] arguments = new Object[constructor.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> wanted = constructor.getParameterTypes()[i];
            arguments[i] = wanted == String.class ? "group" : wanted.isInstance(registry) ? registry
                : wanted.getConstructors()[0].newInstance(registry, Map.of(), new TopicPartition("__consumer_offsets", 0));
        }
        return constructor.newInstance(arguments);
    }

    /** How often the topic is subscribed to: a number, or an object of its own from 4.0 on. */
    private static Object subscribed() throws ReflectiveOperationException {
        Class<?> counted = find("org.apache.kafka.coordinator.group.modern.SubscriptionCount");
        Object once = counted == null ? 1 : counted.getConstructor(int.class, int.class).newInstance(1, 0);
        return Map.of("topic", once);
    }

    private static MetadataImage image(Release release) {
        Cluster cluster = new Cluster(release);
        for (int broker = 0; broker < 3; broker++) {
            cluster.register(broker, "us-east-1" + (char) ('a' + broker), false);
        }
        ArrayNode replicas = new ObjectMapper().createArrayNode();
        for (int p = 0; p < PARTITIONS; p++) {
            ArrayNode list = replicas.addArray();
            for (int i = 0; i < 3; i++) {
                list.add((p + i) % 3);
            }
        }
        cluster.create("topic", new Uuid(1, 2), replicas);
        cluster.publish();
        return cluster.image();
    }

    private static void measure(String what, int times, Work work) throws ReflectiveOperationException {
        try {
            for (long end = System.nanoTime() + WARM_UP_NS; System.nanoTime() < end; ) {
                sink = work.run();
            }
            long[] each = new long[BATCHES];
            for (int batch = 0; batch < BATCHES; batch++) {
                long began = CLOCK.getCurrentThreadCpuTime();
                for (int i = 0; i < times; i++) {
                    sink = work.run();
                }
                each[batch] = (CLOCK.getCurrentThreadCpuTime() - began) / times;
            }
            Arrays.sort(each);
            System.out.printf("%-52s %,9d ns  (%,d to %,d)%n", what, each[BATCHES / 2], each[BATCHES / 4], each[3 * BATCHES / 4]);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static Method named(Class<?> type, String name) {
        return Arrays.stream(type.getMethods()).filter(m -> m.getName().equals(name)).findFirst().orElse(null);
    }
}
