package dev.headroom.allocator.snapshot;

import java.util.Arrays;

/** A dictionary of a pickle, compact and in the order of its entries; the last of equal keys counts. */
final class PickleDict {
    private Object[] entries = {};
    private int used;
    int depth = 1;

    void put(Object key, Object value) {
        if (used == entries.length) {
            entries = Arrays.copyOf(entries, used == 0 ? 16 : 2 * used);
        }
        entries[used++] = key;
        entries[used++] = value;
    }

    int size() {
        return used / 2;
    }

    Object key(int i) {
        return entries[2 * i];
    }

    Object value(int i) {
        return entries[2 * i + 1];
    }

    Object get(String key) {
        for (int i = used - 2; i >= 0; i -= 2) {
            if (key.equals(entries[i])) {
                return entries[i + 1];
            }
        }
        return null;
    }
}
