package dev.headroom.estimator.parallel.layout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Deals whole parameters out to ranks, the largest first, each to the rank that has least so far
 * (torch/distributed/optim/zero_redundancy_optimizer.py, _partition_parameters).
 */
public final class GreedyPartition {
    private GreedyPartition() {}

    /**
     * Who gets what.
     *
     * @param numels elements of each parameter
     * @return by rank, positions in the list in the order in which they were dealt
     */
    public static List<List<Integer>> of(List<Long> numels, int ranks) {
        List<List<Integer>> out = new ArrayList<>();
        IntStream.range(0, ranks).forEach(r -> out.add(new ArrayList<>()));
        long[] dealt = new long[ranks];
        List<Integer> largestFirst = IntStream.range(0, numels.size())
                .boxed()
                .sorted(Comparator.comparing(numels::get, Comparator.reverseOrder()))
                .toList();
        for (int parameter : largestFirst) {
            int least = 0;
            for (int r = 1; r < ranks; r++) {
                least = dealt[r] < dealt[least] ? r : least;
            }
            out.get(least).add(parameter);
            dealt[least] += numels.get(parameter);
        }
        return out;
    }
}
