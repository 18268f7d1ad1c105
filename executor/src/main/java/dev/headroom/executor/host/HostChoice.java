package dev.headroom.executor.host;

import dev.headroom.executor.kernel.ReductionKernels.Choice;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Which element of a line is chosen. */
final class HostChoice {
    private HostChoice() {}

    static int of(Choice choice, int rank, double... line) {
        Integer[] order = IntStream.range(0, line.length).boxed().toArray(Integer[]::new);
        Arrays.sort(order, Comparator.comparingDouble(i -> line[i])); // stable, what is no number last
        int numbers = (int) Arrays.stream(line).filter(x -> !Double.isNaN(x)).count();
        return switch (choice) {
            case RANKED -> order[rank];
            case MEDIAN -> numbers < line.length ? order[numbers] : order[(line.length - 1) / 2];
            case MEDIAN_OF_NUMBERS -> order[Math.max(0, numbers - 1) / 2];
            case COMMONEST -> commonest(order, line);
        };
    }

    private static int commonest(Integer[] order, double[] line) {
        int best = 0;
        int count = 0;
        for (int from = 0, to = 0; from < order.length; from = to) {
            while (to < order.length && Double.compare(line[order[to]], line[order[from]]) == 0) {
                to++;
            }
            if (to - from > count) {
                count = to - from;
                best = order[to - 1];
            }
        }
        return best;
    }
}
