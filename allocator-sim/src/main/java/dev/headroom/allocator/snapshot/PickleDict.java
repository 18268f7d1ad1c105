package dev.headroom.allocator.snapshot;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A dictionary of a pickle, compact and in the order of its entries; the last of equal keys counts. */
final class PickleDict {
    private @Nullable Object[] entries = {};
    private int used;
    int depth = 1;

    void put(@Nullable Object key, @Nullable Object value) {
        if (used == entries.length) {
            entries = Arrays.copyOf(entries, used == 0 ? 16 : 2 * used);
        }
        entries[used++] = key;
        entries[used++] = value;
    }

    int size() {
        return used / 2;
    }

    @Nullable
    Object key(int i) {
        return entries[2 * i];
    }

    @Nullable
    Object value(int i) {
        return entries[2 * i + 1];
    }

    /** The value of a key, null where it is None or there is none. */
    @Nullable
    Object get(String key) {
        for (int i = used - 2; i >= 0; i -= 2) {
            if (key.equals(entries[i])) {
                return entries[i + 1];
            }
        }
        return null;
    }
}
