package rebalancesim.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A controller or a broker: a process of its own, with its own folder. */
final class Node {
    static final int CONTROLLER = 100;
    private static final int CONTROLLER_PORT = 39093;
    private static final int FIRST_PORT = 39100;

    private final int id;
    private final Path folder;
    private final String clusterId;
    private String rack;
    private Process process;
    private boolean formatted;

    Node(int id, String rack, Path work, String clusterId) throws IOException {
        this.id = id;
        this.rack = rack;
        this.clusterId = clusterId;
        folder = Files.createDirectories(work.resolve("node-" + id));
    }

    static String bootstrap(int brokers) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < brokers; i++) {
            all.add("127.0.0.1:" + (FIRST_PORT + i));
        }
        return String.join(",", all);
    }

    Path metadataLog() {
        return folder.resolve("data/__cluster_metadata-0/00000000000000000000.log");
    }

    void start() throws IOException, InterruptedException {
        Path config = folder.resolve("server.properties");
        Files.writeString(config, properties());
        if (!formatted) {
            int code = java(List.of("-Xmx128m"), "kafka.tools.StorageTool",
                "format", "-t", clusterId, "-c", config.toString()).waitFor();
            if (code != 0) {
                throw new IOException("node " + id + " could not be formatted: see " + folder.resolve("log"));
            }
            formatted = true;
        }
        process = java(List.of("-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            "kafka.Kafka", config.toString());
    }

    void start(String newRack) throws IOException, InterruptedException {
        rack = newRack;
        start();
    }

    /** A controlled shutdown, as SIGTERM asks for. */
    void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(40, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    /** SIGKILL. */
    void crash() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    boolean isRunning() {
        return process != null && process.isAlive();
    }

    private Process java(List<String> options, String main, String... arguments) throws IOException {
        return java(options, folder.resolve("log"), main, arguments);
    }

    /** A program of the release, with what it says in a file. */
    static Process java(List<String> options, Path said, String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        return builder.redirectOutput(ProcessBuilder.Redirect.appendTo(said.toFile())).start();
    }

    private String properties() {
        boolean controls = id == CONTROLLER;
        String own = controls
            ? "listeners=CONTROLLER://127.0.0.1:" + CONTROLLER_PORT + "\n"
            : "listeners=PLAINTEXT://127.0.0.1:" + (FIRST_PORT + id) + "\nbroker.rack=" + rack + "\n";
        return own + """
            process.roles=%s
            node.id=%d
            log.dirs=%s
            controller.quorum.voters=%d@127.0.0.1:%d
            controller.listener.names=CONTROLLER
            listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
            metadata.max.idle.interval.ms=5000
            leader.imbalance.check.interval.seconds=8
            num.partitions=1
            auto.create.topics.enable=false
            offsets.topic.num.partitions=4
            offsets.topic.replication.factor=3
            transaction.state.log.replication.factor=1
            group.initial.rebalance.delay.ms=0
            group.coordinator.rebalance.protocols=classic,consumer
            group.consumer.min.heartbeat.interval.ms=1000
            group.consumer.heartbeat.interval.ms=1000
            log.cleaner.enable=false
            """.formatted(controls ? "controller" : "broker", id, folder.resolve("data"), CONTROLLER, CONTROLLER_PORT);
    }
}
