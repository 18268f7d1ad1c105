package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reduces gradients in buckets as they come and keeps each rank's parts of them
 * (deepspeed/runtime/zero/stage3.py, __reduce_and_partition_ipg_grads).
 */
final class ShardedGradients {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final ZeroSettings settings;
    private final PartSink sink;
    private final int stream;
    private final OngoingEvents events;
    private final Map<Tensor, ShardedParameter> of = new HashMap<>();
    private final List<ShardedParameter> waiting = new ArrayList<>();

    /** For the whole life, or {@code null} without contiguous gradients. */
    private final @Nullable Tensor buffer;

    private long elements;

    /**
     * Looks after the gradients of parameters from now on.
     *
     * @param buffer that gradients are copied into; {@code null} for none
     * @param sink takes the own parts
     * @param stream on which gradients are reduced
     */
    ShardedGradients(
            EagerRuntime runtime,
            Collectives collectives,
            ZeroSettings settings,
            @Nullable Tensor buffer,
            PartSink sink,
            int stream) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.settings = settings;
        this.buffer = buffer;
        this.sink = sink;
        this.stream = stream;
        this.events = new OngoingEvents(runtime.streams());
    }

    void watch(ShardedParameter p) {
        of.put(p.tensor(), p);
        runtime.tape().addPostAccumulateHook(p.tensor(), this::arrived);
    }

    private void arrived(Tensor parameter) {
        ShardedParameter p = Objects.requireNonNull(of.get(parameter));
        long most = settings.reduction().bucketElements();
        if (elements + p.numel() > most && elements > 0) {
            reduce();
        }
        if (buffer != null && elements + p.numel() <= most) {
            Tensor gradient = Objects.requireNonNull(parameter.grad());
            runtime.streams().recordUse(gradient, stream);
            runtime.setData(gradient, buffer, Shapes.contiguous(gradient.sizes()), elements);
        }
        waiting.add(p);
        elements += p.numel();
    }

    /** The backward pass is through (independent_gradient_partition_epilogue). */
    void finish() {
        reduce();
        runtime.streams().hostWaits();
    }

    private void reduce() {
        if (waiting.isEmpty()) {
            return;
        }
        events.limit();
        int before = runtime.streams().use(stream);
        try (Frame frame = runtime.frame()) {
            boolean whole = buffer != null
                    && elements <= settings.reduction().bucketElements()
                    && !settings.reduction().scatters();
            if (!whole) {
                waiting.sort(Comparator.comparing(ShardedParameter::id));
            }
            List<Tensor> parts = whole ? averaged() : scattered();
            sink.take(waiting, parts);
        }
        waiting.clear();
        elements = 0;
        events.add();
        runtime.streams().use(before);
    }

    /** __avg_scatter_contiguous_grads: all ranks have all of it for a moment. */
    private List<Tensor> averaged() {
        Tensor filled = runtime.reinterpret(Objects.requireNonNull(buffer), new long[] {elements}, new long[] {1}, 0);
        collectives.runHere(CollectiveKind.ALL_REDUCE, filled.nbytes(), filled.dtype(), -1);
        Tensor averaged = collectives.group().size() == 1 ? filled : runtime.emptyLike(filled);
        List<Tensor> out = new ArrayList<>();
        for (ShardedParameter p : waiting) {
            out.add(
                    p.ownNumel() == p.shardNumel()
                            ? runtime.reinterpret(averaged, new long[] {p.shardNumel()}, new long[] {1}, 0)
                            : runtime.empty(p.type(), p.shardNumel()));
        }
        return out;
    }

    /** reduce_scatter_coalesced: the parts of each rank lie together, padded (comm/coalesced_collectives.py). */
    private List<Tensor> scattered() {
        int ranks = collectives.group().size();
        Tensor flat;
        try (Frame frame = runtime.frame()) {
            if (waiting.size() == 1 && waiting.get(0).numel() % ranks == 0) {
                Tensor only = Objects.requireNonNull(waiting.get(0).tensor().grad());
                flat = runtime.reinterpret(only, new long[] {only.numel()}, new long[] {1}, only.offset());
            } else {
                List<Tensor> pieces = new ArrayList<>();
                for (int rank = 0; rank < ranks; rank++) {
                    for (ShardedParameter p : waiting) {
                        addPiece(pieces, p, rank);
                    }
                }
                flat = Joining.cat(runtime, 0, pieces.toArray(Tensor[]::new));
            }
            frame.keep(flat);
        }
        if (ranks > 1) { // NCCL is not asked for a copy
            collectives.runHere(CollectiveKind.REDUCE_SCATTER, flat.nbytes() / ranks, flat.dtype(), -1);
        }
        List<Tensor> out = new ArrayList<>();
        for (ShardedParameter p : waiting) {
            out.add(runtime.reinterpret(flat, new long[] {p.ownNumel()}, new long[] {1}, 0));
        }
        return out;
    }

    private void addPiece(List<Tensor> pieces, ShardedParameter p, int rank) {
        Tensor gradient = Objects.requireNonNull(p.tensor().grad());
        long start = Math.min(p.numel(), p.shardNumel() * rank);
        long numel = Math.min(p.shardNumel(), p.numel() - start);
        pieces.add(runtime.reinterpret(gradient, new long[] {numel}, new long[] {1}, gradient.offset() + start));
        if (numel < p.shardNumel()) {
            pieces.add(runtime.empty(p.type(), p.shardNumel() - numel));
        }
    }
}
