package dev.headroom.estimator.compile.partition;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** What is kept under a budget is worth most of all that fits. */
class KnapsackTest {
    @Test
    void theDearestThatFitAreKept() {
        double[] sizes = {0.5, 0.3, 0.3};
        assertArrayEquals(new boolean[] {false, true, true}, Knapsack.chosen(sizes, new long[] {5, 3, 3}, 0.6));
        assertArrayEquals(new boolean[] {true, false, false}, Knapsack.chosen(sizes, new long[] {7, 3, 3}, 0.6));
    }

    @Property(tries = 100)
    void nothingThatFitsIsWorthMore(
            @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 1, max = 3000) Integer> sizes,
            @ForAll @Size(6) List<@IntRange(min = 1, max = 50) Integer> worth,
            @ForAll @DoubleRange(min = 0, max = 1) double room) {
        int n = sizes.size();
        double[] shares = sizes.stream().mapToDouble(s -> s / 10_000.0).toArray();
        long[] values = worth.stream().limit(n).mapToLong(w -> w).toArray();
        boolean[] chosen = Knapsack.chosen(shares, values, room);
        long capacity = (long) Math.rint(room * 10_000);
        int own = 0;
        for (int i = 0; i < n; i++) {
            own |= chosen[i] ? 1 << i : 0;
        }
        assertTrue(sum(own, sizes) <= capacity);
        for (int set = 0; set < 1 << n; set++) {
            if (sum(set, sizes) <= capacity) {
                assertTrue(sum(set, worth) <= sum(own, worth), "set " + set);
            }
        }
    }

    private static long sum(int set, List<Integer> of) {
        long out = 0;
        for (int i = 0; i < of.size(); i++) {
            out += (set >> i & 1) == 1 ? of.get(i) : 0;
        }
        return out;
    }
}
