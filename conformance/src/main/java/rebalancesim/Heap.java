package rebalancesim;

import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.timeline.SnapshotRegistry;
import org.apache.kafka.timeline.TimelineHashMap;
import org.apache.kafka.timeline.TimelineHashSet;
import org.openjdk.jol.vm.VM;

/**
 * Bytes that objects of Kafka's own classes take in this JVM's heap, by JOL: a line each of kind, two sizes, bytes. What
 * they share with the image (names, ids) is left out.
 */
final class Heap {
    private static final String TOPIC_METADATA = "org.apache.kafka.coordinator.group.modern.TopicMetadata";
    private static final String RECORD = "org.apache.kafka.coordinator.group.generated.ConsumerGroupPartitionMetadataValue";

    private Heap() { }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        PrintStream out = System.out;
        for (int n : new int[] {1, 10, 100, 1000, 2000, 10_000}) {
            out.println("timeline-map " + n + " 0 " + bytes(map(n)));
        }
        for (int n : new int[] {0, 1, 12, 100, 1000, 10_000}) {
            Map<String, Long> cache = new HashMap<>();
            for (int i = 0; i < n; i++) {
                cache.put("topic-" + i, 0x123456789abcdefL + i);
            }
            out.println("hash-cache " + n + " 0 " + bytes(cache));
        }
        for (int[] size : new int[][] {{1, 1}, {1, 100}, {10, 10}, {100, 10}, {1000, 10}, {2000, 1}}) {
            out.println("topic-index " + size[0] + " " + size[1] + " " + bytes(index(size[0], size[1])));
        }
        if (!exists(TOPIC_METADATA)) {
            return;
        }
        // releases that keep racks: as a recomputation makes them, and as they are after a replay and a comparison
        for (int[] size : new int[][] {{1, 3}, {12, 3}, {100, 3}, {1000, 3}, {2000, 3}, {2000, 4}}) {
            Object retained = fromRecord(size[0], size[1]);
            // the stored one is what a new one is compared with: its sets are walked, and keep a view of their keys
            if (!fromRecord(size[0], size[1]).equals(retained)) {
                throw new IllegalStateException("they are equal");
            }
            out.println("racks-retained " + size[0] + " " + size[1] + " " + racks(retained));
            out.println("racks-bare " + size[0] + " " + size[1] + " " + bytes(bare(size[0], size[1])));
        }
    }

    private static TimelineHashMap<String, Object> map(int n) {
        var map = new TimelineHashMap<String, Object>(registry(), 0);
        for (int i = 0; i < n; i++) {
            map.put("topic-" + i, Uuid.ZERO_UUID);
        }
        return map;
    }

    private static Object index(int topics, int groups) {
        SnapshotRegistry registry = registry();
        var index = new TimelineHashMap<String, TimelineHashSet<String>>(registry, 0);
        for (int t = 0; t < topics; t++) {
            for (int g = 0; g < groups; g++) {
                index.computeIfAbsent("topic-" + t, name -> new TimelineHashSet<>(registry, 1)).add("group-" + g);
            }
        }
        return index;
    }

    /** By reflection: 4.4 has another package for what it wants. */
    static SnapshotRegistry registry() {
        try {
            for (Constructor<?> constructor : SnapshotRegistry.class.getConstructors()) {
                if (constructor.getParameterCount() == 1) {
                    Object log = constructor.getParameterTypes()[0].getConstructor().newInstance();
                    return (SnapshotRegistry) constructor.newInstance(log);
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        throw new IllegalStateException("no constructor of a registry is known");
    }

    private static Map<Integer, Set<String>> bare(int partitions, int racks) {
        Map<Integer, Set<String>> all = new HashMap<>();
        for (int p = 0; p < partitions; p++) {
            Set<String> set = new java.util.HashSet<>();
            for (int r = 0; r < racks; r++) {
                set.add("rack-" + r);
            }
            all.put(p, set);
        }
        return all;
    }

    private static Object fromRecord(int partitions, int racks) throws ReflectiveOperationException {
        List<String> names = new ArrayList<>();
        for (int r = 0; r < racks; r++) {
            names.add("rack-" + r);
        }
        Class<?> topicClass = Class.forName(RECORD + "$TopicMetadata");
        Class<?> partitionClass = Class.forName(RECORD + "$PartitionMetadata");
        List<Object> list = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            Object partition = partitionClass.getConstructor().newInstance();
            partitionClass.getMethod("setPartition", int.class).invoke(partition, p);
            partitionClass.getMethod("setRacks", List.class).invoke(partition, names);
            list.add(partition);
        }
        Object topic = topicClass.getConstructor().newInstance();
        topicClass.getMethod("setTopicId", Uuid.class).invoke(topic, new Uuid(1, 2));
        topicClass.getMethod("setTopicName", String.class).invoke(topic, "topic");
        topicClass.getMethod("setNumPartitions", int.class).invoke(topic, partitions);
        topicClass.getMethod("setPartitionMetadata", List.class).invoke(topic, list);
        return Class.forName(TOPIC_METADATA).getMethod("fromRecord", topicClass).invoke(null, topic);
    }

    /** Of a TopicMetadata, only what its map of racks takes. */
    private static long racks(Object metadata) throws ReflectiveOperationException {
        Field field = metadata.getClass().getDeclaredField("partitionRacks");
        field.setAccessible(true);
        return bytes(field.get(metadata));
    }

    private static boolean exists(String type) {
        try {
            Class.forName(type);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Everything that can be reached from here, but names, ids, registries, and numbers that Java shares. */
    private static long bytes(Object root) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        var open = new ArrayDeque<Object>();
        open.add(root);
        long bytes = 0;
        while (!open.isEmpty()) {
            Object object = open.poll();
            boolean shared = object instanceof String || object instanceof Uuid || object instanceof SnapshotRegistry
                || object instanceof Class || object instanceof Integer n && n >= -128 && n < 128 || isJavasOwn(object);
            if (shared || !seen.add(object)) {
                continue;
            }
            bytes += VM.current().sizeOf(object);
            references(object, open);
        }
        return bytes;
    }

    /** The one value behind every element of every HashSet. */
    private static boolean isJavasOwn(Object object) {
        return object.getClass() == Object.class;
    }

    private static void references(Object object, ArrayDeque<Object> open) {
        if (object.getClass().isArray()) {
            for (int i = 0; !object.getClass().getComponentType().isPrimitive() && i < Array.getLength(object); i++) {
                if (Array.get(object, i) != null) {
                    open.add(Array.get(object, i));
                }
            }
            return;
        }
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.getType().isPrimitive()) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                    if (field.get(object) != null) {
                        open.add(field.get(object));
                    }
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
