package dev.headroom.allocator.snapshot;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A list or tuple of a pickle. */
final class PickleList {
    private @Nullable Object[] items = {};
    private int used;
    int depth = 1;

    void add(@Nullable Object item) {
        if (used == items.length) {
            items = Arrays.copyOf(items, used == 0 ? 4 : used + (used >> 1) + 1);
        }
        items[used++] = item;
    }

    int size() {
        return used;
    }

    @Nullable
    Object get(int i) {
        return items[i];
    }
}
