package dev.headroom.estimator.parallel.layout;

import dev.headroom.model.graph.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Divides tensors into buckets (torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size). A bucket
 * holds tensors of one type and closes as soon as it has reached its limit, which it may exceed by the last tensor.
 */
public final class Buckets {
    /** The limit of a bucket that takes all. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private Buckets() {}

    /**
     * Buckets of tensors that come in the order of registration.
     *
     * @param limits in bytes: that of the first bucket of a type, of its second, and so on; the last one serves the
     *     rest
     * @return positions in the list, a list a bucket, ordered by the first tensor of each bucket
     */
    public static List<List<Integer>> ofRegistered(List<Piece> pieces, long... limits) {
        List<List<Integer>> out = divide(pieces, limits);
        out.sort(Comparator.comparing(bucket -> bucket.get(0)));
        return out;
    }

    /**
     * Buckets of tensors that come in the order in which their gradients arrived.
     *
     * @param limits as of {@link #ofRegistered}
     * @return positions in the list, a list a bucket, in the order in which buckets closed
     */
    public static List<List<Integer>> ofArrived(List<Piece> pieces, long... limits) {
        return divide(pieces, limits);
    }

    /** Bytes of each bucket. */
    public static List<Long> bytes(List<Piece> pieces, List<List<Integer>> buckets) {
        return buckets.stream()
                .map(b -> b.stream().mapToLong(i -> pieces.get(i).bytes()).sum())
                .toList();
    }

    private static List<List<Integer>> divide(List<Piece> pieces, long... limits) {
        List<List<Integer>> closed = new ArrayList<>();
        Map<DType, Open> open = new HashMap<>();
        Deque<Open> newestFirst = new ArrayDeque<>(); // as the standard library's hash map is walked
        for (int i = 0; i < pieces.size(); i++) {
            Open of = open.computeIfAbsent(pieces.get(i).type(), type -> {
                Open made = new Open();
                newestFirst.push(made);
                return made;
            });
            of.members.add(i);
            of.bytes += pieces.get(i).bytes();
            if (of.bytes >= limits[Math.min(of.closed, limits.length - 1)]) {
                closed.add(of.close());
            }
        }
        for (Open of : newestFirst) {
            if (!of.members.isEmpty()) {
                closed.add(of.close());
            }
        }
        return closed;
    }

    /** The bucket of a type that is being filled. */
    private static final class Open {
        private List<Integer> members = new ArrayList<>();
        private long bytes;
        private int closed;

        private List<Integer> close() {
            List<Integer> full = members;
            members = new ArrayList<>();
            bytes = 0;
            closed++;
            return full;
        }
    }
}
