package rebalancesim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** `stored: absent`: what a group's record looks like after a release that did not keep this one's value. */
final class Absent {
    private static final short GROUP_METADATA = 3;
    private static final short PARTITION_METADATA = 4;

    private Absent() { }

    /** The group's last epoch record without its hash, and its map of partitions, where it has one, without racks. */
    static List<Object> valueOf(Release release, List<Object> log, String group) {
        List<Object> records = new ArrayList<>();
        Object epoch = last(release, log, group, GROUP_METADATA);
        Object map = last(release, log, group, PARTITION_METADATA);
        if (map != null && release.value(map) != null) {
            records.add(release.withoutRacks(map));
        }
        if (epoch != null) {
            records.add(release.withoutHash(epoch));
        }
        return records;
    }

    private static Object last(Release release, List<Object> log, String group, short type) {
        for (int i = log.size() - 1; i >= 0; i--) {
            ByteBuffer key = ByteBuffer.wrap(release.key(log.get(i)));
            if (key.getShort() == type) {
                byte[] name = new byte[key.getShort()];
                key.get(name);
                if (new String(name, java.nio.charset.StandardCharsets.UTF_8).equals(group)) {
                    return log.get(i);
                }
            }
        }
        return null;
    }
}
