package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.layout.Buckets;
import dev.headroom.estimator.parallel.layout.Piece;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.DdpOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Reduces gradients in buckets as they arrive (torch/csrc/distributed/c10d/reducer.cpp, Reducer). Buckets are made in
 * the order of registration, reversed; once it is known in which order gradients arrive, they are made anew.
 */
final class Reducer {
    private final EagerRuntime runtime;
    private final AutogradEngine engine;
    private final Collectives collectives;
    private final List<Tensor> parameters;
    private final DdpOptions options;
    private final BucketLimits limits;
    private final List<Tensor> arrivals = new ArrayList<>();
    private final Set<Tensor> waiting = new LinkedHashSet<>();
    private final Map<Tensor, Bucket> bucketOf = new HashMap<>();
    private List<Bucket> buckets = List.of();
    private boolean rebuilt;

    /** Whether the backward pass that comes, or runs, reduces gradients. */
    private boolean expecting;

    /** Whether the gradients of the running pass are all reduced at its end. */
    private boolean delayed;

    private boolean begun;
    private int next;

    Reducer(
            EagerRuntime runtime,
            AutogradEngine engine,
            Collectives collectives,
            List<Tensor> parameters,
            DdpOptions options) {
        this.runtime = runtime;
        this.engine = engine;
        this.collectives = collectives;
        this.parameters = parameters;
        this.options = options;
        this.limits = BucketLimits.of(options);
        List<List<Integer>> division = Buckets.ofRegistered(pieces(parameters), limits.first());
        Collections.reverse(division);
        makeBuckets(parameters, division);
        if (options.staticGraph() || options.findUnusedParameters()) {
            try (Frame frame = runtime.frame()) {
                runtime.hold(runtime.empty(DType.INT32, parameters.size())); // local_used_map, kept for life
            }
        }
        parameters.forEach(p -> runtime.tape().addAccumulatorHook(p, this::arrived));
    }

    private static List<Piece> pieces(List<Tensor> tensors) {
        return tensors.stream().map(t -> new Piece(t.dtype(), t.nbytes())).toList();
    }

    private void makeBuckets(List<Tensor> order, List<List<Integer>> division) {
        buckets.forEach(Bucket::release);
        bucketOf.clear();
        List<Bucket> made = new ArrayList<>();
        for (List<Integer> members : division) {
            Bucket bucket = new Bucket(runtime, members.stream().map(order::get).toList());
            made.add(bucket);
            for (Tensor p : bucket.parameters()) {
                bucketOf.put(p, bucket);
                if (options.gradientAsBucketView()) {
                    bucket.adopt(p);
                }
            }
        }
        buckets = made;
    }

    /**
     * Makes the buckets anew, once, in the order in which gradients arrived; the ranks agree on it (rebuild_buckets,
     * sync_bucket_indices).
     *
     * @throws UserInputException when the pass before left parameters without gradients, as PyTorch does
     */
    void rebuild() {
        if (expecting && begun && !waiting.isEmpty()) {
            throw new UserInputException("`parallel=ddp`: " + waiting.size()
                    + " parameters got no gradient, and PyTorch waits for them; add `find_unused_parameters`");
        }
        if (rebuilt || arrivals.isEmpty() || options.findUnusedParameters()) {
            return;
        }
        rebuilt = true;
        List<List<Integer>> division = Buckets.ofArrived(pieces(arrivals), limits.rebuilt());
        try (Frame frame = runtime.frame()) {
            Tensor indices = agreed(parameters.size() + 1L);
            Tensor sizes = agreed(division.size());
            runtime.free(sizes);
            runtime.free(indices);
        }
        makeBuckets(arrivals, division);
    }

    /** Numbers of the first rank, which the host then reads. */
    private Tensor agreed(long numbers) {
        Tensor out = runtime.empty(DType.INT32, numbers);
        collectives.run(CollectiveKind.BROADCAST, out.nbytes(), DType.INT32, 0);
        runtime.streams().hostWaits();
        return out;
    }

    /**
     * The forward pass of a backward pass that reduces gradients is done (prepare_for_backward).
     *
     * @param delay whether gradients are reduced only at the end
     */
    void expect(boolean delay) {
        expecting = true;
        delayed = delay;
        begun = false;
        next = 0;
        waiting.clear();
        waiting.addAll(parameters);
        buckets.forEach(Bucket::reset);
    }

    /** A gradient is there (autograd_hook). */
    private void arrived(Tensor parameter) {
        if (!expecting) {
            return;
        }
        if (delayed) {
            begun = true;
            return;
        }
        if (!begun) {
            begun = true;
            engine.queueCallback(this::finish);
        }
        if (!rebuilt) {
            arrivals.add(parameter);
        }
        ready(parameter);
    }

    /** The backward pass begins: what it delays follows at its end, not at that of a pass inside of it (_DDPSink). */
    void begin() {
        if (delayed) {
            engine.queueCallback(this::finish);
        }
    }

    /** mark_variable_ready. */
    private void ready(Tensor parameter) {
        if (!waiting.remove(parameter)) {
            return;
        }
        Bucket bucket = Objects.requireNonNull(bucketOf.get(parameter));
        if (options.gradientAsBucketView()) {
            bucket.adopt(parameter);
        }
        bucket.arrived();
        while (next < buckets.size() && buckets.get(next).isFull()) {
            reduce(buckets.get(next++));
        }
    }

    /** Hands a bucket to its hook (default_hooks.py, _compress_hook). */
    private void reduce(Bucket bucket) {
        if (options.compress() == null || options.compress() == bucket.type()) {
            collectives.run(CollectiveKind.ALL_REDUCE, bucket.bytes(), bucket.type());
            return;
        }
        try (Frame frame = runtime.frame()) {
            Tensor half = runtime.emptyLike(bucket.buffer(), options.compress());
            runtime.streams().recordUse(half, Collectives.NCCL_STREAM); // by the callback that copies it back
            collectives.run(CollectiveKind.ALL_REDUCE, half.nbytes(), half.dtype());
            collectives.stash(half);
        }
    }

    /** The backward pass is through (finalize_backward); what was delayed is done now (delay_all_reduce). */
    private void finish() {
        if (delayed) {
            reduceUsedMap();
        }
        if (delayed || options.findUnusedParameters()) {
            List.copyOf(waiting).forEach(this::ready);
        }
        if (options.findUnusedParameters()) {
            reduceUsedMap();
        }
        expecting = !waiting.isEmpty();
    }

    private void reduceUsedMap() {
        collectives.run(CollectiveKind.ALL_REDUCE, 4L * parameters.size(), DType.INT32);
    }
}
