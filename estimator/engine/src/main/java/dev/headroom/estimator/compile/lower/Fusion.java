package dev.headroom.estimator.compile.lower;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;

/** Which works run in one kernel ({@code Scheduler.fuse_nodes}), and in which order the kernels run. */
final class Fusion {
    /** Works in one kernel ({@code max_fusion_size}). */
    private static final int LARGEST = 64;

    private final List<List<Work>> kernels = new ArrayList<>();
    private final List<BitSet> before = new ArrayList<>();
    private final Map<Buffer, Integer> makers = new HashMap<>();
    private final int[] kernelOf;

    private Fusion(List<Work> works) {
        kernelOf = new int[works.size()];
        for (Work w : works) {
            kernelOf[w.order] = w.order;
            kernels.add(new ArrayList<>(List.of(w)));
            BitSet ancestors = new BitSet();
            for (Buffer b : w.reads.keySet()) {
                Integer maker = makers.get(b);
                if (maker != null) {
                    ancestors.or(before.get(maker));
                    ancestors.set(maker);
                }
            }
            before.add(ancestors);
            // What changes a buffer comes before all that read it later.
            w.makes.forEach(b -> makers.put(b, w.order));
            if (w.shape == Work.Shape.CHANGE) {
                makers.put(w.reads.keySet().iterator().next(), w.order);
            }
        }
    }

    /** The kernels in the order in which they run. */
    static List<List<Work>> of(List<Work> works) {
        Fusion fusion = new Fusion(works);
        boolean again = true;
        for (int round = 0; again && round < 10; round++) {
            again = fusion.round(works);
        }
        return fusion.ordered();
    }

    private record Pair(int first, int second, long score) {}

    private boolean round(List<Work> works) {
        Map<Buffer, Set<Integer>> near = new LinkedHashMap<>();
        for (Work w : works) {
            if (w.fusible()) {
                w.makes.forEach(
                        b -> near.computeIfAbsent(b, k -> new LinkedHashSet<>()).add(kernelOf[w.order]));
                w.reads.keySet().forEach(b -> near.computeIfAbsent(b, k -> new LinkedHashSet<>())
                        .add(kernelOf[w.order]));
            }
        }
        Map<Long, Pair> pairs = new LinkedHashMap<>();
        near.forEach((buffer, users) -> {
            List<Integer> all = new ArrayList<>(users);
            for (int i = 0; i < all.size() && i < LARGEST; i++) {
                for (int k = i + 1; k < all.size() && k < LARGEST; k++) {
                    int a = Math.min(all.get(i), all.get(k));
                    int b = Math.max(all.get(i), all.get(k));
                    pairs.merge(
                            (long) a << 32 | b,
                            new Pair(a, b, buffer.bytes()),
                            (x, y) -> new Pair(a, b, x.score() + y.score()));
                }
            }
        });
        List<Pair> sorted = new ArrayList<>(pairs.values());
        sorted.sort(Comparator.comparingLong((Pair p) -> -p.score()).thenComparingInt(p -> p.second() - p.first()));
        boolean any = false;
        for (Pair p : sorted) {
            int a = find(p.first());
            int b = find(p.second());
            if (a != b && fuses(a, b)) {
                join(Math.min(a, b), Math.max(a, b));
                any = true;
            }
        }
        return any;
    }

    private int find(int kernel) {
        int k = kernel;
        while (kernels.get(k).isEmpty()) {
            k = kernelOf[k];
        }
        return k;
    }

    private boolean fuses(int a, int b) {
        List<Work> first = kernels.get(a);
        List<Work> second = kernels.get(b);
        if (first.size() + second.size() > LARGEST) {
            return false;
        }
        for (Work w : first) {
            for (Work v : second) {
                if (!alike(w, v)) {
                    return false;
                }
            }
        }
        return reads(first, second)
                && reads(second, first)
                && shares(first, second)
                && !through(a, b)
                && !through(b, a);
    }

    /** Whether two works run over the same points, one of them perhaps reducing them. */
    private static boolean alike(Work a, Work b) {
        long all = a.points * a.depth;
        long others = b.points * b.depth;
        if (a.shape == Work.Shape.REDUCTION && b.shape == Work.Shape.REDUCTION) {
            return a.points == b.points && a.depth == b.depth;
        }
        if (a.shape == Work.Shape.REDUCTION) {
            return others == all || others == a.points;
        }
        return all == others || b.shape == Work.Shape.REDUCTION && all == b.points;
    }

    /** Whether what one reads of the other is at the same place, or one number for a row that was reduced. */
    private static boolean reads(List<Work> makers, List<Work> readers) {
        for (Work maker : makers) {
            for (Work reader : readers) {
                for (Buffer b : maker.makes) {
                    Boolean place = reader.reads.get(b);
                    boolean row = maker.shape == Work.Shape.REDUCTION;
                    if (place != null && !place && !row) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** Whether they have a buffer in common that both use at the same place. */
    private static boolean shares(List<Work> first, List<Work> second) {
        Set<Buffer> touched = new HashSet<>();
        for (Work w : first) {
            touched.addAll(w.makes);
            w.reads.forEach((b, place) -> {
                if (place) {
                    touched.add(b);
                }
            });
        }
        for (Work w : second) {
            if (w.makes.stream().anyMatch(b -> first.stream().anyMatch(f -> f.reads.containsKey(b)))) {
                return true;
            }
            for (Map.Entry<Buffer, Boolean> read : w.reads.entrySet()) {
                boolean made = first.stream().anyMatch(f -> f.makes.contains(read.getKey()));
                if (made || read.getValue() && touched.contains(read.getKey())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a third kernel needs one of them and is needed by the other. */
    private boolean through(int a, int b) {
        BitSet ofB = before.get(b);
        for (int k = ofB.nextSetBit(0); k >= 0; k = ofB.nextSetBit(k + 1)) {
            int kernel = find(k);
            if (kernel != a && kernel != b && before.get(kernel).get(a)) {
                return true;
            }
        }
        return false;
    }

    private void join(int a, int b) {
        kernels.get(a).addAll(kernels.get(b));
        kernels.get(b).clear();
        kernelOf[b] = a;
        kernels.get(a).forEach(w -> kernelOf[w.order] = a);
        kernelOf[b] = a;
        before.get(a).or(before.get(b));
        before.get(a).clear(a);
        before.get(a).clear(b);
        for (int k = 0; k < kernels.size(); k++) {
            BitSet set = before.get(k);
            if (k != a && !kernels.get(k).isEmpty() && (set.get(a) || set.get(b))) {
                set.set(a);
                set.or(before.get(a));
            }
        }
    }

    private List<List<Work>> ordered() {
        List<Set<Integer>> needs = new ArrayList<>();
        Map<Integer, List<Integer>> then = new HashMap<>();
        PriorityQueue<Integer> ready = new PriorityQueue<>();
        for (int k = 0; k < kernels.size(); k++) {
            Set<Integer> direct = new HashSet<>();
            before.get(k).stream().map(this::find).forEach(direct::add);
            direct.remove(k);
            needs.add(direct);
            if (kernels.get(k).isEmpty()) {
                continue;
            }
            for (int need : direct) {
                then.computeIfAbsent(need, x -> new ArrayList<>()).add(k);
            }
            if (direct.isEmpty()) {
                ready.add(k);
            }
        }
        List<List<Work>> out = new ArrayList<>();
        while (!ready.isEmpty()) {
            int k = Objects.requireNonNull(ready.poll());
            out.add(kernels.get(k));
            for (int next : then.getOrDefault(k, List.of())) {
                if (needs.get(next).remove(k) && needs.get(next).isEmpty()) {
                    ready.add(next);
                }
            }
        }
        return out;
    }

    /** Everything that some works make. */
    static List<Buffer> makes(Collection<Work> works) {
        return works.stream().flatMap(w -> w.makes.stream()).toList();
    }
}
