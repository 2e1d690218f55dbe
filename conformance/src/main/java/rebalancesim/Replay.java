package rebalancesim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;

/** One history, played to Kafka's coordinator instant by instant, in the order within an instant that the history has. */
final class Replay {
    /** What the model says of a leave that failed: it is tried again until the shard moves. */
    private static final long LEAVE_RETRY_MS = 500;

    private record Group(String name, int place, String shard, long heartbeatMs, long sessionMs, boolean stands,
        boolean stored, int epoch, String protocol, List<Client> members) { }

    private record Beat(long at, Client client, long until, long every, JsonNode event) { }

    private static final Comparator<Beat> BY_NAME =
        Comparator.comparingInt((Beat b) -> b.client.groupPlace).thenComparingInt(b -> b.client.place);

    /** How long the initialisation of share partitions takes, as in a scenario that does not say. */
    private static final long SHARE_INIT_MS = 100;

    private final Release release;
    private final Books books;
    private final Clock clock = new Clock();
    private final Cluster cluster;
    private final Map<String, Group> groups = new LinkedHashMap<>();
    private final Map<String, Client> clients = new HashMap<>();
    /** By the number in the history; before 4.0, where a session timeout is the shard's, by number and timeout. */
    private final TreeMap<String, Shard> shards = new TreeMap<>();
    private final PriorityQueue<Beat> beats = new PriorityQueue<>(Comparator.comparingLong(Beat::at));
    private final TreeMap<Long, List<Client>> leaving = new TreeMap<>();
    private final List<JsonNode> events = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final TreeMap<Long, List<Shard.Asked>> answers = new TreeMap<>();
    private long duration;
    private long heartbeats;

    Replay(Release release, Books books) {
        this.release = release;
        this.books = books;
        cluster = new Cluster(release);
    }

    void play(List<JsonNode> lines) {
        lines.forEach(this::take);
        makeShards();
        stand(lines);
        walk();
        books.end(heartbeats);
    }

    private void take(JsonNode line) {
        switch (line.get("line").asText()) {
            case "header" -> {
                duration = line.get("duration_ms").asLong();
                Lines.texts(line.get("groups")).forEach(group -> places.put(group, places.size()));
                books.begun(Lines.text(line, "id"));
            }
            case "broker" -> cluster.register(line.get("broker").asInt(), Lines.text(line, "rack"), false);
            case "group" -> {
                String name = line.get("group").asText();
                long session = line.get("session_ms").asLong();
                String shard = shardKey(line.get("shard").asInt(), session);
                groups.put(name, new Group(name, places.get(name), shard, line.get("heartbeat_ms").asLong(), session,
                    line.get("stands").asBoolean(), line.get("stored").asBoolean(), line.get("epoch").asInt(),
                    line.has("protocol") ? line.get("protocol").asText() : "consumer", new ArrayList<>()));
            }
            case "member" -> {
                Group group = groups.get(line.get("group").asText());
                Client client = new Client(line, group.protocol, group.place, group.members.size());
                group.members.add(client);
                clients.put(client.group + "/" + client.name, client);
            }
            case "presence" -> {
                Client client = client(line);
                long every = groups.get(client.group).heartbeatMs;
                beats.add(new Beat(line.get("first_ms").asLong(), client, Lines.time(line, "until_ms"), every, null));
            }
            case "delta", "event" -> events.add(line);
            case "topic", "pattern", "shard", "refused", "note" -> { }
            default -> throw new IllegalArgumentException("unknown line " + line);
        }
    }

    private String shardKey(int number, long session) {
        String key = String.format("%06d", number);
        return release.hasGroupConfigs() ? key : key + "/" + session;
    }

    private Client client(JsonNode line) {
        return clients.get(line.get("group").asText() + "/" + line.get("member").asText());
    }

    private void makeShards() {
        Map<String, Map<String, Long>> sessions = new TreeMap<>();
        groups.values().forEach(group ->
            sessions.computeIfAbsent(group.shard, s -> new HashMap<>()).put(group.name, group.sessionMs));
        sessions.forEach((key, of) -> {
            int number = Integer.parseInt(key.substring(0, 6));
            long session = of.values().iterator().next();
            shards.put(key, new Shard(release, number, clock, session, of, books));
        });
    }

    /**
     * Every group stands at time 0: its members join before any topic is there, patterns one after another (Kafka
     * resolves a group's patterns at most every ten seconds); then the topics come at 0, and the members heartbeat
     * until nobody writes anything any more.
     */
    private void stand(List<JsonNode> lines) {
        List<Client> standing = new ArrayList<>();
        groups.values().stream().filter(Group::stands).forEach(group ->
            group.members.stream().filter(member -> member.standing).forEach(standing::add));
        long start = -20_000L * (standing.size() + 1);
        clock.move(start);
        cluster.publish();
        shards.values().forEach(shard -> shard.up(cluster.image()));
        for (Client client : standing) {
            start += 20_000;
            clock.move(start);
            client.join();
            shardOf(client).heartbeat(client);
            shardOf(client).runTasks();
        }
        clock.move(0);
        for (JsonNode line : lines) {
            if (line.get("line").asText().equals("topic")) {
                cluster.create(line.get("topic").asText(), Lines.uuid(line.get("id").asText()), line.get("replicas"));
            }
        }
        publish();
        long before;
        int rounds = 0;
        do {
            before = books.records();
            for (Client client : standing) {
                shardOf(client).heartbeat(client);
                Shard.Asked asked = shardOf(client).takeAsked();
                if (asked != null) {
                    shardOf(client).initialised(asked);
                }
            }
            runTasks();
            rounds += 1;
        } while (books.records() > before && rounds < 50 || rounds < 3);
        Map<String, Integer> epochs = new HashMap<>();
        groups.values().stream().filter(Group::stands).forEach(group -> {
            epochs.put(group.name, group.epoch);
            if (!group.stored) {
                Shard shard = shards.get(group.shard);
                shard.append(Absent.valueOf(release, shard.log(), group.name));
            }
        });
        books.begin(epochs, release.unwrittenEpoch());
    }

    private void publish() {
        var delta = cluster.publish();
        shards.values().forEach(shard -> shard.newImage(cluster.image(), delta));
    }

    private Shard shardOf(Client client) {
        return shards.get(groups.get(client.group).shard);
    }

    private void walk() {
        int next = 0;
        while (true) {
            long now = next < events.size() ? events.get(next).get("at_ms").asLong() : Long.MAX_VALUE;
            now = Math.min(now, beats.isEmpty() ? Long.MAX_VALUE : beats.peek().at);
            now = Math.min(now, leaving.isEmpty() ? Long.MAX_VALUE : leaving.firstKey());
            now = Math.min(now, answers.isEmpty() ? Long.MAX_VALUE : answers.firstKey());
            for (Shard shard : shards.values()) {
                now = Math.min(now, shard.nextTimer());
            }
            if (now >= duration) {
                return;
            }
            clock.move(now);
            int end = next;
            while (end < events.size() && events.get(end).get("at_ms").asLong() == now) {
                end += 1;
            }
            instant(now, events.subList(next, end));
            next = end;
        }
    }

    private void instant(long now, List<JsonNode> happening) {
        List<Beat> due = new ArrayList<>();
        for (JsonNode event : happening) {
            if (event.get("line").asText().equals("delta")) {
                cluster.replay(event);
                publish();
            } else if (isOf(event, "load-end", "failover")) {
                shardEvent(event);
            }
        }
        shards.values().forEach(Shard::fireTimers);
        for (JsonNode event : happening) {
            if (isOf(event, "expiry") && event.get("what").asText().equals("group-gone")) {
                String group = event.get("group").asText();
                shards.get(groups.get(group).shard).deleteGroup(group);
            }
        }
        List<Client> again = leaving.remove(now);
        if (again != null) {
            again.forEach(client -> leave(client, client.leave(), true));
        }
        for (JsonNode event : happening) {
            if (isOf(event, "member")) {
                memberEvent(event);
            } else if (isOf(event, "heartbeat")) {
                due.add(new Beat(now, client(event), 0, 0, event));
            }
        }
        while (!beats.isEmpty() && beats.peek().at == now) {
            Beat beat = beats.poll();
            long following = beat.at + beat.every;
            if (beat.at < beat.until) {
                due.add(beat);
                if (following < beat.until) {
                    beats.add(new Beat(following, beat.client, beat.until, beat.every, null));
                }
            }
        }
        due.sort(BY_NAME);

        for (Beat beat : due) {
            if (beat.event != null) {
                memberEvent(beat.event);
            } else {
                heartbeat(beat.client);
            }
        }
        runTasks();
        List<Shard.Asked> answered = answers.remove(now);
        if (answered != null) {
            answered.forEach(asked -> shards.get(groups.get(asked.group()).shard).initialised(asked));
        }
    }

    private static boolean isOf(JsonNode event, String... steps) {
        return event.has("step") && List.of(steps).contains(event.get("step").asText());
    }

    private void shardEvent(JsonNode event) {
        String number = String.format("%06d", event.get("shard").asInt());
        boolean down = event.get("what").asText().equals("shard-down");
        shards.forEach((key, shard) -> {
            if (!key.startsWith(number)) {
                return;
            }
            if (down) {
                shard.down();
                leaving.values().forEach(list -> list.removeIf(client -> shardOf(client) == shard));
            } else {
                shard.up(cluster.image());
            }
        });
    }

    private void memberEvent(JsonNode event) {
        Client client = client(event);
        switch (event.get("what").asText()) {
            case "join" -> {
                client.join();
                heartbeat(client);
            }
            case "back" -> {
                client.back();
                heartbeat(client);
            }
            case "subscribe" -> {
                client.subscribe(Lines.texts(event.get("topics")), Lines.text(event, "pattern"));
                heartbeat(client);
            }
            case "leave" -> leave(client, client.leave(), true);
            case "away" -> leave(client, client.leaveForAWhile(), false);
            case "silent", "expire" -> { }
            default -> throw new IllegalArgumentException("a member does not " + event.get("what"));
        }
    }

    private void heartbeat(Client client) {
        Shard shard = shardOf(client);
        if (!shard.isUp() || !client.isIn()) {
            return;
        }
        heartbeats += 1;
        if (!shard.heartbeat(client)) {
            shard.renewSession(client, groups.get(client.group).sessionMs);
        }
        Shard.Asked asked = shard.takeAsked();
        if (asked != null) {
            answers.computeIfAbsent(clock.history() + SHARE_INIT_MS, at -> new ArrayList<>()).add(asked);
        }
    }

    private void leave(Client client, org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData request,
        boolean forGood) {
        Shard shard = shardOf(client);
        if (!shard.isUp()) {
            return;
        }
        if (client.neverJoined()) {
            client.gone();
            return;
        }
        if (shard.leave(client, request)) {
            client.gone();
        } else if (forGood) {
            shard.endSession(client);
            leaving.computeIfAbsent(clock.history() + LEAVE_RETRY_MS, at -> new ArrayList<>()).add(client);
        }
    }

    private void runTasks() {
        boolean ran = true;
        while (ran) {
            ran = false;
            for (Shard shard : shards.values()) {
                ran |= shard.runTasks();
            }
        }
    }
}
