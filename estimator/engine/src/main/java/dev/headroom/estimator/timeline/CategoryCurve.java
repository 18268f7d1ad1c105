package dev.headroom.estimator.timeline;

import dev.headroom.estimator.log.Category;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of blocks by category along a run, thinned to so many columns: of the events that share a column the one with
 * most allocated memory stands for it, so that no peak is lost.
 */
public final class CategoryCurve {
    private final List<Integer> events = new ArrayList<>();
    private final List<long[]> bytes = new ArrayList<>();

    /** @param columns at most so many are made */
    public CategoryCurve(Timeline timeline, int columns) {
        long[] now = new long[Category.values().length];
        Category[] of = new Category[timeline.storages()];
        long width = Math.max(1, (timeline.size() + columns - 1L) / columns);
        long best = -1;
        for (int e = 0; e < timeline.size(); e++) {
            LiveTensor t = timeline.tensor(e);
            if (t != null) {
                move(now, of, t, timeline.category(e));
            }
            boolean first = e % width == 0;
            if (first || timeline.allocated(e) > best) {
                best = timeline.allocated(e);
                if (!first) {
                    events.remove(events.size() - 1);
                    bytes.remove(bytes.size() - 1);
                }
                events.add(e);
                bytes.add(now.clone());
            }
        }
    }

    private static void move(long[] now, Category[] of, LiveTensor t, @Nullable Category to) {
        if (of[t.number()] != null) {
            now[of[t.number()].ordinal()] -= t.rounded();
        }
        if (to != null) {
            now[to.ordinal()] += t.rounded();
        }
        of[t.number()] = to;
    }

    /** Number of columns. */
    public int columns() {
        return events.size();
    }

    /** The event that stands for a column. */
    public int event(int column) {
        return events.get(column);
    }

    /** Bytes of blocks of a category in a column. */
    public long bytes(int column, Category category) {
        return bytes.get(column)[category.ordinal()];
    }
}
