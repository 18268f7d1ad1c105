package dev.headroom.executor.parallel;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which tensors share a flat buffer (torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size): those
 * of a type, until their bytes reach a limit.
 */
final class BucketDivision {

    /** Bytes of the first bucket, which is to be full early ({@code kDefaultFirstBucketBytes}). */
    private static final long FIRST = Bytes.MIB;

    private static final double OTHERS_MIB = 25;

    private BucketDivision() {}

    /**
     * How many bytes close a bucket: the first of a type, its second, and so on; the last limit serves the rest.
     *
     * @param mib as the user set it, or {@code null}
     */
    static long[] limits(@Nullable Double mib) {
        return mib == null
                ? new long[] {FIRST, (long) (OTHERS_MIB * Bytes.MIB)}
                : new long[] {(long) (mib * Bytes.MIB)};
    }

    /** Lists of tensors, in the order in which they were closed. */
    static List<List<Tensor>> asClosed(List<Tensor> tensors, long... limits) {
        Map<DType, List<Tensor>> open = new LinkedHashMap<>();
        Map<DType, Integer> closedOf = new HashMap<>();
        List<List<Tensor>> closed = new ArrayList<>();
        for (Tensor t : tensors) {
            List<Tensor> bucket = open.computeIfAbsent(t.dtype(), type -> new ArrayList<>());
            bucket.add(t);
            int n = closedOf.getOrDefault(t.dtype(), 0);
            if (bytes(bucket) >= limits[Math.min(n, limits.length - 1)]) {
                closed.add(bucket);
                closedOf.put(t.dtype(), n + 1);
                open.put(t.dtype(), new ArrayList<>());
            }
        }
        // What is left is taken from a hash map, where the type that came last is first.
        List<List<Tensor>> rest = new ArrayList<>(open.values());
        for (int i = rest.size() - 1; i >= 0; i--) {
            if (!rest.get(i).isEmpty()) {
                closed.add(rest.get(i));
            }
        }
        return closed;
    }

    /** The same in the order of each list's first tensor. */
    static List<List<Tensor>> inOrder(List<Tensor> tensors, long... limits) {
        List<List<Tensor>> out = asClosed(tensors, limits);
        out.sort(Comparator.comparing(bucket -> tensors.indexOf(bucket.get(0))));
        return out;
    }

    private static long bytes(Collection<Tensor> tensors) {
        return tensors.stream().mapToLong(t -> t.elements() * t.dtype().bytes()).sum();
    }
}
