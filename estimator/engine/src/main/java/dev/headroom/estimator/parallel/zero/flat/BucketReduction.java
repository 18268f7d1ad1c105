package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reduces a bucket of gradients among ranks (deepspeed/runtime/zero/stage_1_and_2.py, average_tensor and
 * buffered_reduce_fallback). What goes out is copied flat, unless it is one piece.
 */
final class BucketReduction {
    private final EagerRuntime runtime;
    private final DeviceMath math;
    private final Collectives collectives;
    private final FlatGroups groups;
    private final ZeroSettings settings;

    BucketReduction(EagerRuntime runtime, Collectives collectives, FlatGroups groups, ZeroSettings settings) {
        this.runtime = runtime;
        this.math = new DeviceMath(runtime);
        this.collectives = collectives;
        this.groups = groups;
        this.settings = settings;
    }

    /**
     * Reduces gradients that lie one behind the other.
     *
     * @param bucket flat
     * @param parameters whose gradients they are, in that order
     */
    void contiguous(Tensor bucket, List<Tensor> parameters) {
        if (!settings.reduction().scatters()) {
            if (bucket.numel() > 0) {
                send(bucket, -1);
            }
            return;
        }
        Map<Integer, List<Tensor>> together = new LinkedHashMap<>();
        try (Frame frame = runtime.frame()) {
            for (Slice piece : merged(parameters)) {
                int receiver = settings.reduction().manyRanks() ? -1 : piece.rank();
                together.computeIfAbsent(receiver, k -> new ArrayList<>())
                        .add(math.narrow(bucket, piece.start(), piece.numel()));
            }
            together.forEach(this::inParts);
        }
    }

    /** Pieces of the bucket that belong to one rank, neighbours of one rank as one. */
    private List<Slice> merged(List<Tensor> parameters) {
        List<Slice> out = new ArrayList<>();
        long at = 0;
        for (Tensor p : parameters) {
            for (Slice s : groups.slices(p)) {
                int last = out.size() - 1;
                if (last >= 0 && out.get(last).rank() == s.rank()) {
                    Slice before = out.get(last);
                    out.set(last, new Slice(s.rank(), before.start(), before.numel() + s.numel()));
                } else {
                    out.add(new Slice(s.rank(), at, s.numel()));
                }
                at += s.numel();
            }
        }
        return out;
    }

    /** allreduce_and_scatter, allreduce_no_retain: a flat copy closes when it has exceeded the bucket. */
    private void inParts(int receiver, List<Tensor> pieces) {
        inParts(receiver, pieces, settings.reduction().bucketElements());
    }

    private void inParts(int receiver, List<Tensor> pieces, long most) {
        List<Tensor> part = new ArrayList<>();
        long numel = 0;
        for (Tensor piece : pieces) {
            part.add(piece);
            numel += piece.numel();
            if (numel > most) {
                flat(receiver, part);
                part.clear();
                numel = 0;
            }
        }
        if (!part.isEmpty()) {
            flat(receiver, part);
        }
    }

    /** allreduce_bucket. */
    private void flat(int receiver, List<Tensor> part) {
        try (Frame frame = runtime.frame()) {
            send(math.flatten(part), receiver);
        }
    }

    private void send(Tensor flat, int receiver) {
        collectives.runHere(
                receiver < 0 ? CollectiveKind.ALL_REDUCE : CollectiveKind.REDUCE,
                flat.nbytes(),
                flat.dtype(),
                receiver);
    }

    /** Reduces gradients where they are, to all ranks. */
    void scattered(List<Tensor> gradients) {
        if (!gradients.isEmpty()) {
            inParts(-1, gradients, gradients.stream().mapToLong(Tensor::numel).sum());
        }
    }
}
