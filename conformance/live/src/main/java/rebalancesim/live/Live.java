package rebalancesim.live;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** Three brokers on loopback, a dozen groups, and things that happen to them, one after the other. */
public final class Live {
    private static final int BROKERS = 3;
    /** Between two things that happen: long enough for everyone's next heartbeat, and for a pattern's timer. */
    private static final long QUIET_MS = 8_000;

    /** A group: how many members at first, and what they read. */
    private record Spec(int members, List<String> topics, String pattern) { }

    private final Path work;
    private final Path out;
    private final String bootstrap = Node.bootstrap(BROKERS);
    private final List<Node> brokers = new ArrayList<>();
    private final Map<String, Spec> groups = new LinkedHashMap<>();
    private final Map<String, List<Member>> members = new HashMap<>();
    /** What members did of themselves, as lines of a scenario's history; filled in with times from `since`. */
    private final List<String> entries = new ArrayList<>();
    private final StringBuilder steps = new StringBuilder("at_ms,what\n");
    private Node controller;
    private Admin admin;
    private long since;

    private Live(Path work, Path out) {
        this.work = work;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        Path out = Files.createDirectories(Path.of(arguments[1]));
        Live live = new Live(Files.createDirectories(Path.of(arguments[0])), out);
        Runtime.getRuntime().addShutdownHook(new Thread(live::end));
        live.play(arguments[2]);
        System.exit(0);
    }

    private void play(String release) throws Exception {
        begin();
        describe();
        happen();
        write(release);
    }

    private void begin() throws Exception {
        String clusterId = Uuid.randomUuid().toString();
        controller = new Node(Node.CONTROLLER, null, work, clusterId);
        controller.start();
        for (int id = 0; id < BROKERS; id++) {
            brokers.add(new Node(id, String.valueOf((char) ('a' + id)), work, clusterId));
            brokers.get(id).start();
        }
        admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        until("three brokers", 120, () -> admin.describeCluster().nodes().get().size() == BROKERS);
        create("orders", new int[][] {{0, 1}, {1, 2}, {2, 0}});
        create("events", new int[][] {{0, 1}, {1, 0}});
        create("audit", new int[][] {{2}});
        create("pay", new int[][] {{0, 1, 2}, {1, 2, 0}});
        create("stock", new int[][] {{1, 2}});
        create("old", new int[][] {{0}, {1}});
        create("logs-1", new int[][] {{1}, {2}});
        groups.put("g-1", new Spec(2, List.of("orders"), null));
        groups.put("g-2", new Spec(3, List.of("orders", "events"), null));
        groups.put("g-3", new Spec(1, List.of("events"), null));
        groups.put("g-4", new Spec(1, List.of("audit"), null));
        groups.put("g-5", new Spec(2, List.of("pay"), null));
        groups.put("g-6", new Spec(1, List.of("stock", "audit"), null));
        groups.put("g-7", new Spec(2, List.of("old", "events"), null));
        groups.put("g-8", new Spec(1, List.of("logs-1", "pay"), null));
        groups.put("g-9", new Spec(2, List.of("orders", "pay", "stock"), null));
        groups.put("g-10", new Spec(1, List.of("old"), null));
        groups.put("g-11", new Spec(1, List.of("events", "later"), null));
        groups.put("g-12", new Spec(1, null, "logs-.*"));
        groups.forEach((group, spec) -> {
            for (int i = 0; i < spec.members(); i++) {
                join(group, i);
            }
        });
        // settled: nobody has written anything for a while
        until("settled groups", 120, () -> admin.describeConsumerGroups(groups.keySet()).all().get().values().stream()
            .allMatch(g -> g.groupState().toString().equals("Stable")));
        pause(3 * QUIET_MS);
    }

    private void happen() throws Exception {
        since = System.currentTimeMillis();
        pause(QUIET_MS);
        told("restart broker 1, same rack");
        restart(1, "b");
        told("add partitions to orders");
        admin.createPartitions(Map.of("orders", NewPartitions.increaseTo(5, List.of(List.of(0, 1), List.of(1, 2)))))
            .all().get();
        pause(QUIET_MS);
        told("restart broker 2, rack c becomes d");
        restart(2, "d");
        told("add partitions to stock");
        admin.createPartitions(Map.of("stock", NewPartitions.increaseTo(2, List.of(List.of(0, 1))))).all().get();
        pause(QUIET_MS);
        told("a member of g-2 leaves");
        entry("leave: {at: %s, group: g-2, member: m-3, as: leaves}");
        members.get("g-2").remove(2).leave();
        pause(QUIET_MS);
        told("a member joins g-3");
        entry("join: {at: %s, group: g-3, as: joins}");
        join("g-3", 1);
        pause(QUIET_MS);
        told("create the topics later and logs-2");
        create("later", new int[][] {{0, 1}});
        create("logs-2", new int[][] {{1}});
        pause(QUIET_MS);
        told("delete the topic old");
        admin.deleteTopics(List.of("old")).all().get();
        pause(QUIET_MS);
        told("move audit-0 from broker 2 to broker 0");
        admin.alterPartitionReassignments(Map.of(new TopicPartition("audit", 0),
            Optional.of(new NewPartitionReassignment(List.of(0))))).all().get();
        pause(QUIET_MS);
        told("crash broker 0, and start it");
        brokers.get(0).crash();
        pause(14_000);
        brokers.get(0).start();
        inSync();
        told("stop broker 2 and unregister it");
        brokers.get(2).stop();
        pause(4_000);
        admin.unregisterBroker(2).all().get();
        pause(QUIET_MS);
        told("add partitions to events");
        admin.createPartitions(Map.of("events", NewPartitions.increaseTo(3, List.of(List.of(0, 1))))).all().get();
        pause(QUIET_MS);
        // every topic with a replica on broker 1 is looked at again, and broker 2's rack is not there any more
        told("restart broker 1, broker 2 being gone");
        brokers.get(1).stop();
        pause(4_000);
        brokers.get(1).start();
        pause(3 * QUIET_MS);
        told("end");
    }

    private void restart(int id, String rack) throws Exception {
        brokers.get(id).stop();
        pause(4_000);
        brokers.get(id).start(rack);
        inSync();
    }

    /** Until every replica is in sync, and then some. */
    private void inSync() throws Exception {
        until("all in sync", 90, () -> {
            var names = new HashSet<>(admin.listTopics().names().get());
            names.add("__consumer_offsets");
            return admin.describeTopics(names).allTopicNames().get().values().stream()
                .flatMap(t -> t.partitions().stream()).allMatch(p -> p.isr().size() == p.replicas().size());
        });
        pause(2 * QUIET_MS);
    }

    private void create(String topic, int[][] replicas) throws ExecutionException, InterruptedException {
        Map<Integer, List<Integer>> placed = new HashMap<>();
        for (int i = 0; i < replicas.length; i++) {
            placed.put(i, Arrays.stream(replicas[i]).boxed().toList());
        }
        admin.createTopics(List.of(new NewTopic(topic, placed))).all().get();
    }

    private void join(String group, int place) {
        Spec spec = groups.get(group);
        String rack = String.valueOf((char) ('a' + place % BROKERS));
        members.computeIfAbsent(group, g -> new ArrayList<>())
            .add(new Member(bootstrap, group, rack, spec.topics(), spec.pattern()));
    }

    private void told(String what) {
        long at = System.currentTimeMillis();
        System.err.println("  " + (at - since) / 1000 + " s: " + what);
        steps.append(at).append(',').append('"').append(what).append("\"\n");
    }

    private void entry(String text) {
        entries.add(text.formatted((System.currentTimeMillis() - since) + "ms"));
    }

    /** What `import` reads, of the settled groups. */
    private void describe() throws IOException, InterruptedException {
        Path said = Files.createDirectories(out.resolve("describe"));
        tool(said.resolve("topics.txt"), "org.apache.kafka.tools.TopicCommand", "--describe");
        String groupTool = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
        tool(said.resolve("members.txt"), groupTool, "--describe", "--members", "--verbose", "--all-groups");
        tool(said.resolve("state.txt"), groupTool, "--describe", "--state", "--all-groups");
        tool(said.resolve("types.txt"), groupTool, "--list", "--state", "--type");
        tool(said.resolve("brokers.txt"), "org.apache.kafka.tools.BrokerApiVersionsCommand");
    }

    private void tool(Path said, String main, String... arguments) throws IOException, InterruptedException {
        Files.deleteIfExists(said);
        List<String> all = new ArrayList<>(List.of("--bootstrap-server", bootstrap));
        all.addAll(List.of(arguments));
        Node.java(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1"), said, main, all.toArray(String[]::new)).waitFor();
    }

    private void write(String release) throws Exception {
        List<Epochs.Epoch> epochs = Epochs.read(bootstrap);
        Map<String, Integer> first = new HashMap<>();
        try (var csv = new PrintStream(out.resolve("epochs.csv").toFile(), StandardCharsets.UTF_8)) {
            csv.println("at_ms,group,epoch,hash");
            for (Epochs.Epoch e : epochs) {
                csv.printf("%d,%s,%d,%s%n", e.at(), e.group(), e.epoch(),
                    e.hash() == null ? "" : String.format(Locale.ROOT, "%016x", e.hash()));
                if (e.at() < since) {
                    first.put(e.group(), e.epoch());
                }
            }
        }
        Files.writeString(out.resolve("steps.csv"), steps);
        Files.writeString(out.resolve("groups.yaml"), scenario(release, first));
        Path dump = out.resolve("metadata.txt");
        Files.deleteIfExists(dump);
        for (String main : List.of("kafka.tools.DumpLogSegments", "org.apache.kafka.tools.DumpLogSegments")) {
            if (exists(main)) {
                Node.java(List.of("-Xmx128m"), dump, main, "--cluster-metadata-decoder", "--files",
                    controller.metadataLog().toString()).waitFor();
                break;
            }
        }
    }

    private static boolean exists(String main) {
        try {
            Class.forName(main, false, Live.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** The groups as a scenario, and what members did of themselves; `since` is its comment's, for `replay --since`. */
    private String scenario(String release, Map<String, Integer> first) {
        StringBuilder text = new StringBuilder("# The groups of the live check, settled at " + since + " (ms since 1970).\n");
        text.append("cluster: {version: ").append(release).append(", offsets_partitions: 4, load_time: 100ms}\n");
        text.append("groups:\n");
        groups.forEach((group, spec) -> {
            String reads = spec.pattern() == null
                ? "topics: [" + String.join(", ", spec.topics()) + "]" : "pattern: \"" + spec.pattern() + "\"";
            text.append("  ").append(group).append(": {members: ").append(spec.members()).append(", heartbeat: 1s, ")
                .append(reads).append(", epoch: ").append(first.get(group)).append("}\n");
        });
        text.append("history:\n");
        entries.forEach(entry -> text.append("  - ").append(entry).append('\n'));
        return text.append("strategies: [").append(release).append("]\n").toString();
    }

    private interface Check {
        boolean isSo() throws ExecutionException, InterruptedException;
    }

    private static void until(String what, int seconds, Check check) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            try {
                if (check.isSo()) {
                    return;
                }
            } catch (ExecutionException e) {
                // not yet
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException("no " + what + " after " + seconds + " s");
            }
            pause(500);
        }
    }

    private static void pause(long ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private void end() {
        for (Node node : brokers) {
            if (node.isRunning()) {
                kill(node);
            }
        }
        if (controller != null && controller.isRunning()) {
            kill(controller);
        }
    }

    private static void kill(Node node) {
        try {
            node.crash();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
