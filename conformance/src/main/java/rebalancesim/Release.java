package rebalancesim;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;

/**
 * What differs between the releases in names and signatures, and only that: the coordinator's runtime moved to
 * another package in 4.0, images got a wrapper in 4.2, and so on. Everything is found by name, once.
 */
final class Release {
    private static final String OLD = "org.apache.kafka.coordinator.group.runtime.";
    private static final String NEW = "org.apache.kafka.coordinator.common.runtime.";
    private static final String SHARD = "org.apache.kafka.coordinator.group.";

    private final Class<?> shard = type(SHARD + "GroupCoordinatorShard");
    private final Class<?> timer = either(NEW + "CoordinatorTimer", OLD + "CoordinatorTimer");
    private final Class<?> timeout =
        either(NEW + "CoordinatorTimer$TimeoutOperation", OLD + "CoordinatorTimer$TimeoutOperation");
    private final Class<?> executor = optional(NEW + "CoordinatorExecutor");
    private final Class<?> result = either(NEW + "CoordinatorResult", OLD + "CoordinatorResult");
    private final Class<?> record = either(NEW + "CoordinatorRecord", SHARD + "CoordinatorRecord");
    private final Class<?> logContext =
        either("org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext");
    private final Object serde =
        make(either(SHARD + "GroupCoordinatorRecordSerde", SHARD + "CoordinatorRecordSerde"));
    private final Method serializeKey = method(serde.getClass(), "serializeKey", record);
    private final Method serializeValue = method(serde.getClass(), "serializeValue", record);
    private final Method records = method(result, "records");
    private final Method response = method(result, "response");
    private final Method replay = method(shard, "replay", long.class, long.class, short.class, record);
    private final Method generate = method(timeout, "generateRecords");
    private final Method heartbeat = named(shard, "consumerGroupHeartbeat");
    private final Method deleteGroups = named(shard, "deleteGroups");
    private final Method onLoaded = named(shard, "onLoaded");
    private final Method onImage = named(shard, "onNewMetadataImage", "onMetadataUpdate");
    private final Constructor<?> wrapImage = wrapper("KRaftCoordinatorMetadataImage", MetadataImage.class);
    private final Constructor<?> wrapDelta = wrapper("KRaftCoordinatorMetadataDelta", MetadataDelta.class);
    private final Method setRegex = find(ConsumerGroupHeartbeatRequestData.class, "setSubscribedTopicRegex");
    private final Object metrics = make(type(SHARD + "metrics.GroupCoordinatorMetrics"));

    /** Has it patterns, executed apart from heartbeats? */
    boolean hasPatterns() {
        return setRegex != null;
    }

    /** The epoch of a group of which nothing has been written: 1 from 4.3 on, which is also when target metadata got a class. */
    int unwrittenEpoch() {
        return optional(SHARD + "TargetAssignmentMetadata") == null ? 0 : 1;
    }

    /** Has every group its own session timeout? */
    boolean hasGroupConfigs() {
        return optional(SHARD + "GroupConfigManager") != null && hasPatterns();
    }

    void setRegex(ConsumerGroupHeartbeatRequestData request, String pattern) {
        call(setRegex, request, pattern);
    }

    /** A coordinator's shard, empty. */
    Object shard(
        int number, Time time, Timers timers, Tasks tasks, long sessionMs, Map<String, Long> sessions) {
        Map<Class<?>, Object> parts = new HashMap<>();
        parts.put(Time.class, time);
        parts.put(logContext, make(logContext));
        parts.put(timer, timerFor(timers));
        if (executor != null) {
            parts.put(executor, executorFor(tasks));
        }
        parts.put(TopicPartition.class, new TopicPartition("__consumer_offsets", number));
        parts.put(Optional.class, Optional.empty());
        Class<?> registry = type("org.apache.kafka.timeline.SnapshotRegistry");
        parts.put(registry, makeWith(registry, parts.get(logContext)));
        GroupCoordinatorConfig config = config(sessionMs);
        Object builder = builder(config, sessions);
        for (Method with : builder.getClass().getMethods()) {
            if (with.getName().startsWith("with")) {
                Class<?> wanted = with.getParameterTypes()[0];
                call(with, builder, wanted.isInstance(metrics) ? metrics : parts.get(wanted));
            }
        }
        return call(named(builder.getClass(), "build"), builder);
    }

    private Object builder(GroupCoordinatorConfig config, Map<String, Long> sessions) {
        Constructor<?> constructor = type(SHARD + "GroupCoordinatorShard$Builder").getConstructors()[0];
        if (constructor.getParameterCount() == 1) {
            return create(constructor, config);
        }
        Object manager = groupConfigs(config);
        Method update = named(manager.getClass(), "updateGroupConfig");
        sessions.forEach((group, session) -> {
            Properties properties = new Properties();
            properties.put("consumer.session.timeout.ms", Long.toString(session));
            call(update, manager, group, properties);
        });
        return create(constructor, config, manager);
    }

    private Object groupConfigs(GroupCoordinatorConfig config) {
        Constructor<?> constructor = type(SHARD + "GroupConfigManager").getConstructors()[0];
        Object[] arguments = new Object[constructor.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> wanted = constructor.getParameterTypes()[i];
            if (wanted == Map.class) {
                arguments[i] = Map.of();
            } else if (wanted.isInstance(config)) {
                arguments[i] = config;
            } else {
                arguments[i] = makeWith(wanted, new AbstractConfig(definitions(wanted, GroupCoordinatorConfig.class), Map.of()));
            }
        }
        return create(constructor, arguments);
    }

    private static GroupCoordinatorConfig config(long sessionMs) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("group.consumer.session.timeout.ms", Long.toString(sessionMs));
        properties.put("group.consumer.min.session.timeout.ms", 1);
        properties.put("group.consumer.max.session.timeout.ms", Integer.MAX_VALUE);
        properties.put("group.consumer.heartbeat.interval.ms", 1);
        properties.put("group.consumer.min.heartbeat.interval.ms", 1);
        return new GroupCoordinatorConfig(new AbstractConfig(definitions(GroupCoordinatorConfig.class), properties));
    }

    /** All settings that classes of settings declare: one definition from 4.1 on, several before. */
    private static ConfigDef definitions(Class<?>... holders) {
        ConfigDef merged = new ConfigDef();
        for (Class<?> holder : holders) {
            for (Field field : holder.getFields()) {
                if (field.getType() == ConfigDef.class && Modifier.isStatic(field.getModifiers())) {
                    try {
                        ((ConfigDef) field.get(null)).configKeys().values().forEach(merged::define);
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
        return merged;
    }

    private Object timerFor(Timers timers) {
        return proxy(timer, (self, method, arguments) -> {
            switch (method.getName()) {
                case "schedule", "scheduleIfAbsent" -> {
                    String key = (String) arguments[0];
                    if (!method.getName().equals("scheduleIfAbsent") || !timers.isScheduled(key)) {
                        Object operation = arguments[arguments.length - 1];
                        long delay = ((java.util.concurrent.TimeUnit) arguments[2]).toMillis((Long) arguments[1]);
                        boolean retry = (Boolean) arguments[3];
                        timers.schedule(key, delay, retry, () -> recordsOf(call(generate, operation)));
                    }
                    return null;
                }
                case "cancel" -> {
                    timers.cancel((String) arguments[0]);
                    return null;
                }
                case "isScheduled" -> {
                    return timers.isScheduled((String) arguments[0]);
                }
                default -> throw new IllegalStateException("a timer has no " + method);
            }
        });
    }

    private Object executorFor(Tasks tasks) {
        Method run = named(type(NEW + "CoordinatorExecutor$TaskRunnable"), "run");
        Method complete = named(type(NEW + "CoordinatorExecutor$TaskOperation"), "onComplete");
        return proxy(executor, (self, method, arguments) -> switch (method.getName()) {
            case "schedule" -> tasks.schedule((String) arguments[0], () -> {
                Object outcome = null;
                Throwable failure = null;
                try {
                    outcome = call(run, arguments[1]);
                } catch (RuntimeException e) {
                    failure = e;
                }
                return recordsOf(call(complete, arguments[2], outcome, failure));
            });
            case "isScheduled" -> tasks.isScheduled((String) arguments[0]);
            case "cancel" -> {
                tasks.cancel((String) arguments[0]);
                yield null;
            }
            default -> throw new IllegalStateException("an executor has no " + method);
        });
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    /** A heartbeat's records and its response. */
    record Beat(List<?> records, ConsumerGroupHeartbeatResponseData response) { }

    Beat heartbeat(Object shard, RequestContext context, ConsumerGroupHeartbeatRequestData request) {
        Object answer = call(heartbeat, shard, context, request);
        return new Beat(recordsOf(answer), (ConsumerGroupHeartbeatResponseData) call(response, answer));
    }

    /** A heartbeat of a share or streams group. */
    Object otherHeartbeat(Object coordinator, RequestContext context, Object request) {
        String name = request.getClass().getSimpleName().startsWith("Share") ? "shareGroupHeartbeat" : "streamsGroupHeartbeat";
        return call(named(shard, name), coordinator, context, request);
    }

    Object responseOf(Object answer) {
        return call(response, answer);
    }

    /** Partitions of a share group have their state. */
    List<?> initialised(Object coordinator, String group, Map<?, ?> partitions) {
        return recordsOf(call(named(shard, "initializeShareGroupState"), coordinator, group, partitions));
    }

    /** What share groups know of topics that are gone; releases without share groups know nothing. */
    List<?> cleanUpShares(Object coordinator, java.util.Set<?> deleted) {
        Method clean = find(shard, "maybeCleanupShareGroupState");
        return clean == null ? List.of() : recordsOf(call(clean, coordinator, deleted));
    }

    List<?> deleteGroup(Object shard, RequestContext context, String group) {
        return recordsOf(call(deleteGroups, shard, context, List.of(group)));
    }

    void replay(Object shard, long offset, Object record) {
        call(replay, shard, offset, -1L, (short) -1, record);
    }

    void loaded(Object shard, MetadataImage image) {
        call(onLoaded, shard, wrapped(wrapImage, onLoaded.getParameterTypes()[0], image));
    }

    void newImage(Object shard, MetadataImage image, MetadataDelta delta) {
        Object[] arguments = new Object[2];
        for (int i = 0; i < 2; i++) {
            Class<?> wanted = onImage.getParameterTypes()[i];
            boolean isImage = wanted.getSimpleName().endsWith("Image");
            arguments[i] = isImage ? wrapped(wrapImage, wanted, image) : wrapped(wrapDelta, wanted, delta);
        }
        call(onImage, shard, arguments);
    }

    /** The image as the classes of 4.2 and later want it. */
    Object wrapped(MetadataImage image) {
        return create(wrapImage, image);
    }

    private static Object wrapped(Constructor<?> wrapper, Class<?> wanted, Object value) {
        return wanted.isInstance(value) ? value : create(wrapper, value);
    }

    MetadataDelta delta(MetadataImage base) {
        Class<?> builder = type("org.apache.kafka.image.MetadataDelta$Builder");
        Object started = call(named(builder, "setImage"), make(builder), base);
        return (MetadataDelta) call(named(builder, "build"), started);
    }

    MetadataImage apply(MetadataDelta delta, long version) {
        Constructor<?> made = MetadataProvenance.class.getConstructors()[0];
        Object provenance =
            made.getParameterCount() == 3 ? create(made, version, 1, 0L) : create(made, version, 1, 0L, true);
        return delta.apply((MetadataProvenance) provenance);
    }

    byte[] key(Object record) {
        return (byte[]) call(serializeKey, serde, record);
    }

    /** Null for a tombstone. */
    byte[] value(Object record) {
        return (byte[]) call(serializeValue, serde, record);
    }

    /** The same record, written without its hash, where the release has one. */
    Object withoutHash(Object record) {
        return changed(record, message -> {
            Method set = find(message.getClass(), "setMetadataHash");
            if (set != null) {
                call(set, message, 0L);
            }
        });
    }

    /** The same ConsumerGroupPartitionMetadata record with no partition's racks. */
    Object withoutRacks(Object record) {
        return changed(record, message -> {
            for (Object topic : (List<?>) call(find(message.getClass(), "topics"), message)) {
                call(find(topic.getClass(), "setPartitionMetadata"), topic, List.of());
            }
        });
    }

    /** Records are read back from their bytes, so that nobody else's copy changes. */
    private Object changed(Object record, Consumer<Object> change) {
        Object copy = call(named(serde.getClass(), "deserialize"), serde,
            ByteBuffer.wrap(key(record)), ByteBuffer.wrap(value(record)));
        Object versioned = call(find(copy.getClass(), "value"), copy);
        change.accept(call(find(versioned.getClass(), "message"), versioned));
        return copy;
    }

    List<?> recordsOf(Object answer) {
        return (List<?>) call(records, answer);
    }

    private static Class<?> type(String name) {
        Class<?> found = optional(name);
        if (found == null) {
            throw new IllegalStateException("this release has no " + name);
        }
        return found;
    }

    private static Class<?> optional(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static Class<?> either(String name, String other) {
        Class<?> found = optional(name);
        return found != null ? found : type(other);
    }

    private static Constructor<?> wrapper(String name, Class<?> of) {
        Class<?> wrapper = optional(NEW + name);
        try {
            return wrapper == null ? null : wrapper.getConstructor(of);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters) {
        try {
            Method found = type.getMethod(name, parameters);
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The first method with one of these names; bridges aside. */
    private static Method named(Class<?> type, String... names) {
        for (String name : names) {
            Method found = find(type, name);
            if (found != null) {
                return found;
            }
        }
        throw new IllegalStateException(type + " has no " + String.join(", ", names));
    }

    private static Method find(Class<?> type, String name) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name) && !method.isBridge()) {
                method.setAccessible(true);
                return method;
            }
        }
        return null;
    }

    private static Object make(Class<?> type) {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object makeWith(Class<?> type, Object argument) {
        try {
            return type.getConstructor(argument.getClass()).newInstance(argument);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object create(Constructor<?> constructor, Object... arguments) {
        try {
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Kafka's own exceptions come through as they are. */
    private static Object call(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
