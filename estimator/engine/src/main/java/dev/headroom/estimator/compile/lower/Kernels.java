package dev.headroom.estimator.compile.lower;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Kernels, what each needs, and what memory an order of them takes (torch/_inductor/memory.py). */
final class Kernels {
    private final List<List<Work>> kernels;
    private final List<Set<Integer>> before = new ArrayList<>();
    private final List<Set<Integer>> after = new ArrayList<>();
    private final List<Set<Buffer>> reads = new ArrayList<>();
    private final List<Long> sizes = new ArrayList<>();
    private final Map<Buffer, Set<Integer>> readers = new HashMap<>();
    private final Set<Buffer> freeable = new LinkedHashSet<>();
    private final Set<Buffer> returned = new LinkedHashSet<>();

    /**
     * Kernels in an order that they can run in.
     *
     * @param returned buffers that stay
     */
    Kernels(List<List<Work>> kernels, List<@Nullable Buffer> returned) {
        this.kernels = kernels;
        returned.stream().filter(b -> b != null).forEach(this.returned::add);
        List<Work> works = kernels.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingInt(w -> w.order))
                .toList();
        Map<Integer, Integer> kernelOf = new HashMap<>();
        for (int k = 0; k < kernels.size(); k++) {
            for (Work w : kernels.get(k)) {
                kernelOf.put(w.order, k);
            }
            before.add(new LinkedHashSet<>());
            after.add(new LinkedHashSet<>());
            reads.add(new LinkedHashSet<>());
            sizes.add(Fusion.makes(kernels.get(k)).stream()
                    .mapToLong(Buffer::bytes)
                    .sum());
        }
        Map<Buffer, Integer> makers = new HashMap<>();
        for (Work w : works) {
            int k = kernelOf.getOrDefault(w.order, 0);
            for (Buffer b : w.reads.keySet()) {
                Integer maker = makers.get(b);
                if (maker != null && maker != k) {
                    before.get(k).add(maker);
                    after.get(maker).add(k);
                }
                if (maker == null || maker != k) {
                    if (!b.given() || b.freeable()) {
                        reads.get(k).add(b);
                        readers.computeIfAbsent(b, x -> new LinkedHashSet<>()).add(k);
                    }
                    if (b.freeable()) {
                        freeable.add(b);
                    }
                }
            }
            w.makes.forEach(b -> makers.put(b, k));
            if (w.shape == Work.Shape.CHANGE) {
                makers.put(w.reads.keySet().iterator().next(), k);
            }
        }
    }

    int count() {
        return kernels.size();
    }

    List<List<Work>> inOrder(List<Integer> order) {
        return order.stream().map(kernels::get).toList();
    }

    Set<Integer> before(int kernel) {
        return before.get(kernel);
    }

    Set<Integer> after(int kernel) {
        return after.get(kernel);
    }

    /** Bytes of what it makes. */
    long size(int kernel) {
        return sizes.get(kernel);
    }

    /** Buffers of others that it reads and that may be freed. */
    Set<Buffer> reads(int kernel) {
        return reads.get(kernel);
    }

    List<Buffer> makes(int kernel) {
        return Fusion.makes(kernels.get(kernel));
    }

    /** How many kernels read a buffer; one more where it is returned. */
    int uses(Buffer b) {
        return readers.getOrDefault(b, Set.of()).size() + (returned.contains(b) ? 1 : 0);
    }

    Set<Integer> readers(Buffer b) {
        return readers.getOrDefault(b, Set.of());
    }

    /** Bytes of arguments that can be freed. */
    long given() {
        return freeable.stream().mapToLong(Buffer::bytes).sum();
    }

    /** Bytes of what is returned. */
    long kept() {
        return returned.stream()
                .filter(b -> !b.given() || b.freeable())
                .mapToLong(Buffer::bytes)
                .sum();
    }

    /** The most that is alive at once. */
    long peak(List<Integer> order) {
        Map<Buffer, Integer> left = new HashMap<>();
        long alive = given();
        long most = alive;
        for (int k : order) {
            alive += size(k);
            most = Math.max(most, alive);
            for (Buffer b : reads(k)) {
                if (left.merge(b, 1, Integer::sum) == uses(b)) {
                    alive -= b.bytes();
                }
            }
            for (Buffer b : makes(k)) {
                alive -= uses(b) == 0 ? b.bytes() : 0;
            }
        }
        return most;
    }
}
