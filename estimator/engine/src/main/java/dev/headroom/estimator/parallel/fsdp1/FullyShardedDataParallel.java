package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CoalescedBroadcast;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.unit.HostOptimizer;
import dev.headroom.estimator.parallel.unit.NoSplitModules;
import dev.headroom.estimator.parallel.unit.Unit;
import dev.headroom.estimator.parallel.unit.Units;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.NamedModules;
import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One rank under FullyShardedDataParallel (torch/distributed/fsdp/fully_sharded_data_parallel.py). */
public final class FullyShardedDataParallel implements LoopHook {
    private final Scenario run;
    private final Parallelism parallel;
    private final ShardingOptions options;
    private final Communicator shards;
    private final @Nullable Communicator replicas;
    private final List<FlatUnit> units = new ArrayList<>();
    private final List<Unit> wrapped = new ArrayList<>();
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private Coordination shared;
    private @Nullable Placement placement;
    private ShardedClipping clipping;
    private @Nullable FullPrecision full;
    private boolean initialised;

    /**
     * A rank.
     *
     * @param shards ranks among which parameters are divided, or that all have them whole
     * @param replicas ranks that have the same shards; {@code null} for none
     */
    public FullyShardedDataParallel(Scenario run, Communicator shards, @Nullable Communicator replicas) {
        this.run = run;
        this.parallel = run.parallel();
        this.options = parallel.sharding();
        this.shards = shards;
        this.replicas = replicas;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
        shared = new Coordination(runtime, to.engine(), options.limitAllGathers());
        clipping = new ShardedClipping(runtime, shards, parallel.cpuOffload());
    }

    @Override
    public boolean wraps() {
        return true;
    }

    @Override
    public void begin(Moment phase) {
        if (phase.phase() == Phase.WRAP) {
            wrap();
        } else if (phase.phase() == Phase.FORWARD) {
            shared.setReduces(!parallel.noSync() || run.loop().isLastPass(phase.micro()));
        }
    }

    private void wrap() {
        Graph graph = loop.graph();
        full = FullPrecision.of(graph, options);
        Set<String> others = new HashSet<>(full().modules());
        boolean trainer = run.trainer().loop().isTrainer();
        if (trainer && run.adapters().any()) {
            others.addAll(trainedLeaves(graph.held()));
        }
        List<String> blocks = wrapped(graph, trainer, others);
        Set<String> inner = new HashSet<>(blocks);
        placement = new Placement(runtime, loop.model(), graph.held());
        Flattening flattening = new Flattening(runtime, loop.model(), shards, parallel);
        List<Unit> all = Units.of(graph.held(), blocks);
        List<FlatUnit> made = new ArrayList<>();
        for (Unit unit : all) {
            runtime.attribute(runtime.number(new Attribution(unit.path(), ModelTensors.PARAMETER, "")));
            placement().place(unit, inner, parallel.build());
            if (options.syncModuleStates()) {
                send(unit);
            }
            DType type = full().has(unit) ? null : options.paramDtype();
            made.add(unit.parameters().isEmpty() ? null : flat(unit, flattening.of(unit, widens(), type)));
            hook(unit, made.get(made.size() - 1));
        }
        for (String module : graph.held().modules()) {
            for (int i = 0; i < all.size(); i++) {
                if (all.get(i).path().equals(module)) {
                    wrapped.add(all.get(i));
                    units.add(made.get(i));
                }
            }
        }
        units.removeIf(u -> u == null);
        units.forEach(u -> u.parameter().settle());
        if (!options.useOrigParams()) {
            loop.model()
                    .parametersAre(
                            "_flat_param",
                            units.stream().map(u -> u.parameter().shard()).toList());
        }
    }

    private List<String> wrapped(Graph graph, boolean trainer, Set<String> others) {
        if (options.wrap() == ShardingOptions.Wrap.ROOT) {
            return List.of();
        }
        if (!options.wrapModules().isEmpty()) {
            Set<String> named = new HashSet<>(others);
            for (String text : options.wrapModules()) {
                NamedModules.groups("wrap_modules", graph, text).forEach(named::addAll);
            }
            return RepeatedBlocks.paths(graph, named);
        }
        boolean checkpointed = run.checkpointing().segments() > 0;
        return trainer
                ? NoSplitModules.of(graph, checkpointed, others)
                : RepeatedBlocks.sameTypes(graph, checkpointed, others);
    }

    /** accelerate has what is trained in float32 (accelerate 1.15, accelerator.py, prepare_model). */
    private boolean widens() {
        return run.trainer().loop().isTrainer() && run.precision().amp() != null;
    }

    /** What peft's policy wraps beside layers (peft, utils/other.py, fsdp_auto_wrap_policy): adapters' matrices. */
    private List<String> trainedLeaves(ModelState state) {
        ModuleTree tree = new ModuleTree(state);
        return state.modules().stream()
                .filter(m -> tree.children(m).isEmpty())
                .filter(m -> tree.tensors(m).stream()
                        .map(Map.Entry::getKey)
                        .anyMatch(name -> name.equals(m + ".weight")
                                && loop.model().named(name).requiresGrad()))
                .toList();
    }

    /** _sync_module_params_and_buffers. */
    private void send(Unit unit) {
        List<Tensor> held = new ArrayList<>();
        unit.buffers().forEach(name -> held.add(loop.model().named(name)));
        unit.freed().forEach(name -> held.add(loop.model().named(name)));
        new CoalescedBroadcast(runtime, t -> shards.runHere(CollectiveKind.BROADCAST, t.nbytes(), t.dtype(), 0))
                .send(held);
    }

    private FlatUnit flat(Unit unit, Flattening.Flat flat) {
        int rank = flat.parameter().isDivided() ? shards.rank() : 0;
        DType own = flat.parameter().shard().dtype();
        DType wanted = options.reduceDtype() != null ? options.reduceDtype() : options.paramDtype();
        DType reduce = full().has(unit) || wanted == null ? own : wanted;
        return new FlatUnit(
                shared,
                flat.parameter(),
                new ShardGradient(runtime, flat.parameter(), flat.originals(), rank),
                new GradientReduction(runtime, shards, replicas, reduce),
                shards,
                strategy(),
                options.backwardPrefetch(),
                unit.path().isEmpty());
    }

    /** One rank has all (_init_core_state). */
    private ShardingOptions.Strategy strategy() {
        return shards.size() == 1 ? ShardingOptions.Strategy.NO_SHARD : options.strategy();
    }

    private void hook(Unit unit, FlatUnit flat) {
        boolean root = unit.path().isEmpty();
        boolean around = run.trainer().transformers().layersCheckpointThemselves()
                && !CheckpointPlan.switchIsOutside(loop.graph());
        Runnable nothing = () -> {};
        FullPrecision.Casts casts = full().has(unit) ? new FullPrecision.Casts(runtime) : null;
        if (casts != null) {
            runtime.modules().add(unit.path(), casts.after());
        }
        runtime.modules()
                .add(
                        unit.path(),
                        new UnitHooks(
                                runtime,
                                flat,
                                root ? options.paramDtype() : null,
                                root ? this::beginForward : nothing,
                                root ? this::beginBackward : nothing,
                                around));
        if (casts != null) {
            runtime.modules().add(unit.path(), casts.before());
        }
    }

    /** {@code no_sync()} initialises, too. */
    @Override
    public void end(Moment phase) {
        if (phase.phase() == Phase.INPUTS && parallel.noSync() && !run.loop().isLastPass(phase.micro())) {
            initialise();
        }
    }

    /** _lazy_init. */
    private void initialise() {
        if (!initialised) {
            initialised = true;
            if (options.paramDtype() != null) {
                placement().castBuffers(wrapped, unit -> full().has(unit) ? null : options.paramDtype());
            }
            units.forEach(u -> u.parameter().initialise());
        }
    }

    /** _root_pre_forward. */
    private void beginForward() {
        initialise();
        units.forEach(u -> u.gradient().releaseUnused());
    }

    private void beginBackward() {
        shared.queueFinish(this::finish);
        units.forEach(u -> u.gradient().releaseUnused());
    }

    private void finish() {
        if (shared.reduces() && parallel.cpuOffload()) {
            runtime.streams().hostWaits();
        }
        units.forEach(FlatUnit::finishBackward);
        shared.finish();
    }

    @Override
    public void clip(Runnable own) {
        clipping.prepare();
        if (strategy() == ShardingOptions.Strategy.NO_SHARD) {
            own.run();
        } else {
            clipping.clip(
                    units.stream().flatMap(u -> u.gradient().stepped().stream()).toList(), loop::clipped);
        }
    }

    /** What one rank finds, all must know (sharded_grad_scaler.py). */
    @Override
    public void lookedForInfinities(Tensor foundInf) {
        shards.run(CollectiveKind.ALL_REDUCE, foundInf.nbytes(), foundInf.dtype(), Coordination.NCCL);
    }

    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return parallel.cpuOffload() ? HostOptimizer.INSTANCE : own.apply(parameters);
    }

    private FullPrecision full() {
        return Objects.requireNonNull(full, "the model is not wrapped yet");
    }

    private Placement placement() {
        return Objects.requireNonNull(placement, "the model is not wrapped yet");
    }
}
