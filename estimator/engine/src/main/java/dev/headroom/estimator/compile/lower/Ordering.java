package dev.headroom.estimator.compile.lower;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The order of kernels with the lowest peak among a few (torch/_inductor/memory.py, reorder_for_peak_memory). */
final class Ordering {
    private final Kernels kernels;
    private final int[] waiting;

    private Ordering(Kernels kernels) {
        this.kernels = kernels;
        this.waiting = new int[kernels.count()];
    }

    /** The kernels in that order. */
    static List<List<Work>> of(List<List<Work>> given, List<@Nullable Buffer> returned) {
        Kernels kernels = new Kernels(given, returned);
        List<Integer> best = IntStream.range(0, given.size()).boxed().toList();
        long least = kernels.peak(best);
        Ordering ordering = new Ordering(kernels);
        for (List<Integer> order :
                List.of(ordering.leastPeakFirst(), ordering.earliestFirst(), ordering.depthFirst())) {
            long peak = kernels.peak(order);
            if (peak < least) {
                least = peak;
                best = order;
            }
        }
        return kernels.inOrder(best);
    }

    private List<Integer> begin() {
        List<Integer> ready = new ArrayList<>();
        for (int k = 0; k < waiting.length; k++) {
            waiting[k] = kernels.before(k).size();
            if (waiting[k] == 0) {
                ready.add(k);
            }
        }
        return ready;
    }

    /** {@code topological_sort_lpmf}. */
    private List<Integer> leastPeakFirst() {
        Set<Integer> ready = new TreeSet<>(begin());
        Map<Buffer, Integer> left = new HashMap<>();
        long[] frees = new long[waiting.length];
        for (int k = 0; k < waiting.length; k++) {
            for (Buffer b : kernels.reads(k)) {
                frees[k] += kernels.uses(b) == 1 ? b.bytes() : 0;
            }
            for (Buffer b : kernels.makes(k)) {
                frees[k] += kernels.uses(b) == 0 ? b.bytes() : 0;
            }
        }
        long alive = kernels.given();
        long most = Math.max(alive, kernels.kept());
        List<Integer> out = new ArrayList<>();
        while (!ready.isEmpty()) {
            long gap = most - alive;
            int next = ready.stream()
                    .min(Comparator.comparingLong((Integer k) -> kernels.size(k) > gap ? kernels.size(k) : 0)
                            .thenComparingLong(k -> kernels.size(k) - frees[k])
                            .thenComparingInt(k -> k))
                    .orElseThrow();
            ready.remove(next);
            out.add(next);
            alive += kernels.size(next);
            most = Math.max(most, alive);
            alive -= frees[next];
            for (int k : kernels.after(next)) {
                if (--waiting[k] == 0) {
                    ready.add(k);
                }
            }
            for (Buffer b : kernels.reads(next)) {
                int uses = left.merge(b, -1, Integer::sum) + kernels.uses(b);
                if (uses == 1) {
                    kernels.readers(b).forEach(k -> frees[k] += b.bytes());
                }
            }
        }
        return out;
    }

    private record Waiting(List<Integer> priority, int kernel) {}

    /** {@code topological_sort_bfs}. */
    private List<Integer> earliestFirst() {
        Comparator<Waiting> order = (a, b) -> {
            for (int i = 0; i < Math.min(a.priority().size(), b.priority().size()); i++) {
                int c = Integer.compare(a.priority().get(i), b.priority().get(i));
                if (c != 0) {
                    return c;
                }
            }
            int c = Integer.compare(a.priority().size(), b.priority().size());
            return c != 0 ? c : Integer.compare(a.kernel(), b.kernel());
        };
        PriorityQueue<Waiting> ready = new PriorityQueue<>(order);
        begin().forEach(k -> ready.add(new Waiting(List.of(), k)));
        int[] place = new int[waiting.length];
        List<Integer> out = new ArrayList<>();
        while (!ready.isEmpty()) {
            int next = ready.remove().kernel();
            place[next] = out.size();
            out.add(next);
            for (int k : kernels.after(next)) {
                if (--waiting[k] == 0) {
                    List<Integer> priority = kernels.before(k).stream()
                            .map(b -> place[b])
                            .sorted()
                            .toList();
                    ready.add(new Waiting(priority, k));
                }
            }
        }
        return out;
    }

    /** {@code topological_sort_dfs}. */
    private List<Integer> depthFirst() {
        long[] touched = new long[waiting.length];
        for (int k = 0; k < touched.length; k++) {
            touched[k] = kernels.size(k)
                    + kernels.reads(k).stream().mapToLong(Buffer::bytes).sum();
        }
        Comparator<Integer> small =
                Comparator.comparingLong((Integer k) -> touched[k]).thenComparingInt(k -> k);
        List<Integer> out = new ArrayList<>();
        Set<Integer> placed = new HashSet<>();
        Set<Integer> opened = new HashSet<>();
        for (int root : IntStream.range(0, touched.length).boxed().sorted(small).toList()) {
            List<Integer> open = new ArrayList<>(List.of(root));
            while (!open.isEmpty()) {
                int k = open.get(open.size() - 1);
                if (opened.add(k)) {
                    kernels.before(k).stream()
                            .filter(b -> !placed.contains(b))
                            .sorted(small.reversed())
                            .forEach(open::add);
                } else {
                    open.remove(open.size() - 1);
                    if (placed.add(k)) {
                        out.add(k);
                    }
                }
            }
        }
        return out;
    }
}
