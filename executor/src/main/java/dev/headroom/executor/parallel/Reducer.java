package dev.headroom.executor.parallel;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.DdpOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Averages gradients over all ranks while they are computed (torch/csrc/distributed/c10d/reducer.cpp, Reducer). */
final class Reducer {
    private static final Owner OWNER = new Owner("", "DistributedDataParallel");

    private final Eager eager;
    private final BackwardPass backwardPass;
    private final Collectives collectives;
    private final List<Tensor> parameters;
    private final DdpOptions options;
    private final @Nullable Tensor usedMap;
    private final Set<Tensor> used = new HashSet<>();
    private final Map<Tensor, Bucket> bucketOf = new HashMap<>();
    private final List<Tensor> arrived = new ArrayList<>();
    private final Set<Tensor> ready = new HashSet<>();
    private List<Bucket> buckets = new ArrayList<>();
    private List<Tensor> unused = List.of();
    private int next;
    private int passes;
    private boolean rebuilt;

    /** expect_autograd_hooks_: gradients that arrive are reduced. */
    private boolean listens;

    /** require_finalize_: some gradients are ready, and not all are reduced. */
    private boolean unfinished;

    private boolean markedUnused;

    Reducer(
            Eager eager,
            BackwardPass backwardPass,
            Collectives collectives,
            List<Tensor> parameters,
            DdpOptions options) {
        this.eager = eager;
        this.backwardPass = backwardPass;
        this.collectives = collectives;
        this.parameters = parameters;
        this.options = options;
        eager.own(OWNER);
        // Where all gradients are sure to come, the first buckets last one step, and one holds all of a type.
        long[] limits = options.findUnusedParameters()
                ? BucketDivision.limits(options.bucketCapMb())
                : new long[] {Long.MAX_VALUE};
        List<List<Tensor>> division = BucketDivision.inOrder(parameters, limits);
        Collections.reverse(division); // gradients come from the end of the model
        makeBuckets(division);
        try (Scope s = eager.open()) {
            usedMap = tracksUse() ? eager.hold(eager.empty(DType.INT32, parameters.size())) : null;
        }
        parameters.forEach(p -> backwardPass.whenGathered(p, () -> gathered(p)));
    }

    private boolean tracksUse() {
        return options.staticGraph() || options.findUnusedParameters();
    }

    /** initialize_buckets. */
    private void makeBuckets(List<List<Tensor>> division) {
        closeBuckets();
        for (List<Tensor> together : division) {
            Bucket bucket = new Bucket(eager, together, options.gradientAsBucketView());
            buckets.add(bucket);
            together.forEach(p -> bucketOf.put(p, bucket));
        }
    }

    private void closeBuckets() {
        buckets.forEach(Bucket::close);
        buckets = new ArrayList<>();
    }

    /**
     * Makes the buckets anew, once, in the order in which gradients arrived (rebuild_buckets).
     *
     * @throws UserInputException when the pass before has left gradients unreduced
     */
    void rebuild() {
        requireFinished();
        if (!rebuilds() || arrived.isEmpty()) {
            return;
        }
        eager.own(OWNER);
        List<List<Tensor>> division = BucketDivision.asClosed(arrived, BucketDivision.limits(options.bucketCapMb()));
        agree(division);
        rebuilt = true;
        makeBuckets(division);
        arrived.clear();
    }

    private boolean rebuilds() {
        return !rebuilt && !options.findUnusedParameters();
    }

    /** ensure_prior_reduction_finished. */
    private void requireFinished() {
        if (unfinished) {
            throw new UserInputException("`parallel=ddp`: " + (parameters.size() - ready.size())
                    + " parameters got no gradient, and PyTorch waits for them; add `find_unused_parameters`");
        }
    }

    /** sync_bucket_indices: the first rank's order counts; here the ranks must have come to the same. */
    private void agree(List<List<Tensor>> division) {
        List<List<Integer>> mine = division.stream()
                .map(bucket -> bucket.stream().map(parameters::indexOf).toList())
                .toList();
        try (Scope s = eager.open()) {
            Tensor order = eager.empty(DType.INT32, arrived.size() + 1);
            List<List<List<Integer>>> all = collectives.gather(mine);
            Tensor sizes = eager.empty(DType.INT32, division.size());
            eager.free(sizes);
            eager.free(order);
            if (!all.get(0).equals(mine)) {
                throw new IllegalStateException("gradients arrive in different orders on different ranks");
            }
        }
    }

    /**
     * A backward pass will follow that reduces gradients (prepare_for_backward).
     *
     * @param outputs of the model
     */
    void expect(Tensor... outputs) {
        requireFinished();
        listens = true;
        markedUnused = false;
        passes++;
        next = 0;
        ready.clear();
        buckets.forEach(Bucket::reset);
        if (options.findUnusedParameters()) {
            Set<Tensor> reached = eager.tape().leaves(outputs);
            unused = parameters.stream().filter(p -> !reached.contains(p)).toList();
        }
    }

    /** static_graph_first_iteration: who takes part is still to be learnt. */
    private boolean learns() {
        return options.staticGraph() && passes == 1;
    }

    /** A parameter's gradient is complete (autograd_hook). */
    private void gathered(Tensor p) {
        if (!listens) {
            return;
        }
        if (options.findUnusedParameters() || learns()) {
            used.add(p);
        }
        if (learns()) {
            return;
        }
        if (!markedUnused) {
            markedUnused = true;
            unused.forEach(this::ready);
        }
        if (rebuilds()) {
            arrived.add(p);
        }
        ready(p);
    }

    /** mark_variable_ready. */
    private void ready(Tensor p) {
        if (!ready.add(p)) {
            throw new UserInputException("`parallel=ddp`: a parameter's gradient is ready twice in a backward pass,"
                    + " which PyTorch refuses; take `reentrant=false`, or leave out `find_unused_parameters`");
        }
        unfinished = true;
        Bucket bucket = bucketOf(p);
        take(bucket, p);
        if (bucket.ready()) {
            while (next < buckets.size() && buckets.get(next).isFull()) {
                reduce(buckets.get(next++));
            }
        }
        if (next == buckets.size()) {
            if (options.findUnusedParameters()) {
                shareUse();
            }
            backwardPass.atEnd(this::finish);
        }
    }

    private Bucket bucketOf(Tensor p) {
        return Objects.requireNonNull(bucketOf.get(p), "a bucket");
    }

    private void take(Bucket bucket, Tensor p) {
        bucket.take(p, options.compress() == null ? collectives.group().size() : 1);
    }

    /** The first pass of a graph that stays as it is has ended (delay_all_reduce). */
    void reduceDelayed() {
        shareUse();
        unused = parameters.stream().filter(p -> !used.contains(p)).toList();
        parameters.forEach(p -> take(bucketOf(p), p));
        buckets.forEach(this::reduce);
        finish();
    }

    private void reduce(Bucket bucket) {
        DType compressed = options.compress();
        if (compressed == null) {
            collectives.allReduce(bucket.buffer());
        } else {
            reduceCompressed(bucket, compressed);
        }
    }

    /** torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py, _compress_hook. */
    private void reduceCompressed(Bucket bucket, DType type) {
        Formula share = Formula.unary(
                "ddp_share_of_" + collectives.group().size(),
                "x0 / " + collectives.group().size(),
                x -> x / collectives.group().size());
        try (Scope s = eager.open()) {
            boolean narrow = bucket.type() == type;
            Tensor sent = narrow ? bucket.buffer() : eager.emptyLike(bucket.buffer(), type);
            eager.backend().elementwise().map(share, new double[0], new Tensor[] {sent}, bucket.buffer());
            collectives.allReduce(sent);
            if (!narrow) {
                eager.backend().elementwise().copy(bucket.buffer(), sent);
                collectives.shelve(sent);
            }
        }
    }

    /** all_reduce_local_used_map: what any rank has used counts. Truth values travel outside of the tensors. */
    private void shareUse() {
        List<Integer> mine = used.stream().map(parameters::indexOf).toList();
        collectives.gather(mine).forEach(of -> of.forEach(i -> used.add(parameters.get(i))));
    }

    /** finalize_backward. */
    private void finish() {
        listens = false;
        unfinished = false;
        for (Bucket bucket : buckets) {
            for (Tensor p : bucket.parameters()) {
                if (!tracksUse() || used.contains(p)) {
                    bucket.giveBack(p);
                }
            }
        }
        if (options.findUnusedParameters()) {
            used.clear();
        }
        if (options.staticGraph() && passes > 1 && rebuilds()) {
            arrived.addAll(unused);
        }
    }

    /** Lets go of buckets. */
    void close() {
        closeBuckets();
        eager.release(usedMap);
    }
}
