package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.parallel.zero.base.ZeroStage;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.ModelState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stage 3 (deepspeed/runtime/zero/stage3.py, DeepSpeedZeroOptimizer_Stage3). */
public final class ShardedStage implements ZeroStage, ShardedOptimizer.Parts {
    private static final int REDUCTION_STREAM = 2;
    private static final int GATHER_STREAM = 3;

    private final EagerRuntime runtime;
    private final Collectives reductions;
    private final Collectives gathers;
    private final ZeroSettings settings;
    private final ShardedModel model;
    private final Gatherer gatherer;
    private final ParameterCoordinator coordinator;
    private final GradientParts hostParts;
    private @Nullable ShardedGradients gradients;
    private @Nullable Tensor parts;
    private List<Tensor> replaced = List.of();

    /**
     * @param reductions of gradients
     * @param gathers of parameters, over another communicator
     */
    public ShardedStage(
            EagerRuntime runtime,
            Collectives reductions,
            Collectives gathers,
            ZeroSettings settings,
            ShardedModel model) {
        this.runtime = runtime;
        this.reductions = reductions;
        this.gathers = gathers;
        this.settings = settings;
        this.model = model;
        this.gatherer = new Gatherer(runtime, gathers, settings.fetching().oneByOne());
        this.coordinator = new ParameterCoordinator(
                runtime, gatherer, settings, model.byModule(), settings.overlaps() ? GATHER_STREAM : 0);
        this.hostParts = new GradientParts(runtime, settings.offload().optimizer());
    }

    private int reductionStream() {
        return settings.overlaps() ? REDUCTION_STREAM : 0;
    }

    @Override
    public Optimizer optimizer(List<List<Tensor>> groups, Function<List<Tensor>, @Nullable Optimizer> own) {
        model.order(groups);
        boolean onHost = settings.offload().optimizer();
        releaseReplaced();
        List<ShardedParameter> whole = model.all().stream()
                .filter(p -> p.status() == ShardedParameter.Status.WHOLE)
                .toList();
        PrintedTensors printed = new PrintedTensors(runtime);
        whole.forEach(p -> printed.print(p.tensor()));
        whole.forEach(this::shard);
        model.markPersistent(
                settings.fetching().persistence(), settings.fetching().modelPersistence());
        model.modules().forEach(module -> runtime.modules()
                .add(module, new ModuleFetching(runtime, coordinator, gatherer, model, module)));
        if (!onHost) {
            held(DType.BOOL, 1); // inf_or_nan_tracker
        }
        barrier();
        if (!settings.offload().parameters()) {
            defragment();
        }
        List<List<ShardedParameter>> division = new ArrayList<>();
        for (List<Tensor> group : groups) {
            division.addAll(SubGroup.divide(model.of(group), settings.subGroup()));
        }
        List<Tensor> masters = masters(division, onHost);
        barrier();
        List<SubGroup> stepped = groups(division, masters, own);
        barrier();
        Tensor buffer = settings.reduction().contiguous()
                ? held(model.type(), settings.reduction().bucketElements())
                : null;
        if (!onHost) {
            parts = held(model.type(), SubGroup.numel(model.trained()));
        }
        gradients = new ShardedGradients(runtime, reductions, settings, buffer, hostParts, reductionStream());
        for (ShardedParameter p : model.trained()) {
            gatherer.fetch(List.of(p));
            gradients.watch(p);
            p.letGo();
        }
        return new ShardedOptimizer(
                runtime, settings, stepped, this, new ShardedNorms(runtime, reductions, reductionStream()));
    }

    /**
     * Makes the model under deepspeed.zero.Init, whose tensors are nowhere yet.
     *
     * @param collected whether what tied parameters replace goes at once, and not when the engine is made
     */
    public void construct(ModelState state, ModelTensors tensors, boolean collected) {
        boolean partsOnHost = settings.offload().parameters();
        replaced = new DividedConstruction(runtime, state, tensors, this::broadcast, this::shard, partsOnHost)
                .make(model.all());
        if (collected) {
            releaseReplaced();
        }
    }

    private void releaseReplaced() {
        replaced.forEach(runtime::release);
        replaced = List.of();
    }

    private Tensor held(DType type, long numel) {
        try (Frame frame = runtime.frame()) {
            return runtime.hold(runtime.emptyStrided(type, new long[] {numel}, new long[] {1}, Category.GRADIENTS));
        }
    }

    private void broadcast(ShardedParameter p) {
        gathers.runHere(CollectiveKind.BROADCAST, p.numel() * p.type().bytes(), p.type(), 0);
    }

    /** _zero_init_param: all ranks have the first rank's, and keep their parts. */
    private void shard(ShardedParameter p) {
        broadcast(p);
        if (!settings.offload().parameters()) {
            try (Frame frame = runtime.frame()) {
                p.setShard(runtime.emptyStrided(
                        p.type(), new long[] {p.shardNumel()}, new long[] {1}, Category.PARAMETERS));
            }
        }
        p.letGo();
    }

    /** {@code dist.barrier()}. */
    private void barrier() {
        try (Frame frame = runtime.frame()) {
            runtime.empty(DType.UINT8, 1);
            runtime.empty(DType.FLOAT32, 1);
            gathers.runHere(CollectiveKind.ALL_REDUCE, DType.FLOAT32.bytes(), DType.FLOAT32, -1);
            runtime.streams().hostWaits();
        }
    }

    /** defragment: parts of trained parameters go to the host and come back as one. */
    private void defragment() {
        model.trained().forEach(p -> p.setShard(null));
        runtime.allocator().emptyCache();
        try (Frame frame = runtime.frame()) {
            Tensor flat = runtime.emptyStrided(
                    model.type(), new long[] {SubGroup.numel(model.trained())}, new long[] {1}, Category.PARAMETERS);
            long at = 0;
            for (ShardedParameter p : model.trained()) {
                p.setShard(runtime.reinterpret(flat, new long[] {p.shardNumel()}, new long[] {1}, at));
                at += p.shardNumel();
            }
        }
    }

    /** _create_fp32_partitions: the name of what was converted goes only when it is bound anew. */
    private List<Tensor> masters(List<List<ShardedParameter>> division, boolean onHost) {
        List<Tensor> out = new ArrayList<>();
        try (Frame frame = runtime.frame()) {
            Tensor converted = null;
            for (List<ShardedParameter> group : division) {
                if (onHost) {
                    out.add(null);
                    continue;
                }
                Tensor before = converted;
                converted = converted(group);
                runtime.free(before);
                Tensor master = runtime.hold(Copies.clone(runtime, converted));
                runtime.setCategory(master, Category.OPTIMIZER_STATE);
                out.add(master);
            }
        }
        return out;
    }

    private Tensor converted(List<ShardedParameter> group) {
        long[] numel = {SubGroup.numel(group)};
        Tensor first = group.get(0).shard();
        if (first == null) {
            return runtime.empty(DType.FLOAT32, numel); // from the host
        }
        Tensor flat = runtime.reinterpret(first, numel, new long[] {1}, first.offset());
        return Copies.to(runtime, flat, DType.FLOAT32);
    }

    /** initialize_optimizer_states: with first gradients, as optimizers may want them when they are made. */
    private List<SubGroup> groups(
            List<List<ShardedParameter>> division,
            List<Tensor> masters,
            Function<List<Tensor>, @Nullable Optimizer> own) {
        try (Frame frame = runtime.frame()) {
            if (masters.get(0) != null) {
                runtime.empty(
                        DType.FLOAT32,
                        division.stream().mapToLong(SubGroup::numel).max().orElse(0));
            }
            List<SubGroup> out = new ArrayList<>();
            for (int i = 0; i < division.size(); i++) {
                Tensor master = masters.get(i);
                out.add(new SubGroup(division.get(i), master, master == null ? null : own.apply(List.of(master))));
            }
            return out;
        }
    }

    /** reset_step: ranks compare the lists that they made. */
    @Override
    public void beginForward() {
        coordinator.reset();
        for (int length : coordinator.trace().compared()) {
            compare(1);
            compare(length);
        }
    }

    private void compare(long numbers) {
        try (Frame frame = runtime.frame()) {
            Tensor t = runtime.empty(DType.INT64, numbers);
            gathers.runHere(CollectiveKind.BROADCAST, t.nbytes(), DType.INT64, 0);
            runtime.streams().hostWaits();
        }
    }

    @Override
    public void beginBackward(int pass, boolean lastPass) {
        hostParts.begin(pass > 0, lastPass);
    }

    @Override
    public void endBackward() {
        Objects.requireNonNull(gradients).finish();
    }

    @Override
    public void release() {
        coordinator.releaseAll(model.all());
    }

    @Override
    public @Nullable Tensor gradients() {
        return parts;
    }

    @Override
    public List<Tensor> norms(List<ShardedParameter> parameters) {
        return hostParts.norms(parameters);
    }

    @Override
    public void stepped() {
        hostParts.clear();
        List<ShardedParameter> persistent =
                model.all().stream().filter(ShardedParameter::persistent).toList();
        gatherer.fetch(persistent);
    }

    @Override
    public void endPause() {
        gathers.endPause();
    }
}
