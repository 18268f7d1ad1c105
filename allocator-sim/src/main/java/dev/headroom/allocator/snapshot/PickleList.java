package dev.headroom.allocator.snapshot;

import java.util.Arrays;

/** A list or tuple of a pickle. */
final class PickleList {
    private Object[] items = {};
    private int used;
    int depth = 1;

    void add(Object item) {
        if (used == items.length) {
            items = Arrays.copyOf(items, used == 0 ? 4 : used + (used >> 1) + 1);
        }
        items[used++] = item;
    }

    int size() {
        return used;
    }

    Object get(int i) {
        return items[i];
    }
}
