package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.parallel.Collectives;
import dev.headroom.executor.parallel.ProcessGroup;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.program.ModuleHooks;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Wrapper;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A rank whose model is divided with {@code fully_shard} (_fully_shard.py). */
public final class FullyShard implements Wrapper {
    private static final Formula SQUARE = Formula.unary("fsdp_square", "x0 * x0", x -> x * x);
    private static final Formula ROOT = Formula.unary("fsdp_root", "sqrt(x0)", Math::sqrt);

    private final Eager eager;
    private final Graph graph;
    private final Parallelism parallel;
    private final ShardingOptions options;
    private final ProcessGroup world;
    private final Collectives shards;
    private final @Nullable Collectives replicas;
    private final Map<String, UnitHooks> units = new LinkedHashMap<>();
    private Communication shared;

    /**
     * A rank.
     *
     * @param graph that runs
     * @throws UserInputException for a number of ranks after the forward pass that does not divide all
     */
    public FullyShard(Eager eager, Graph graph, Scenario run, ProcessGroup world) {
        this.eager = eager;
        this.graph = graph;
        this.parallel = run.parallel();
        this.options = parallel.sharding();
        this.world = world;
        List<Integer> mesh = parallel.grid();
        int among = mesh.get(mesh.size() - 1);
        this.shards = row(among);
        this.replicas = mesh.size() == 1 ? null : column(among);
        Integer after = options.reshardAfterForward();
        if (after != null && after > 1 && among % after != 0) {
            throw new UserInputException("`reshard_after_forward=" + after + "` does not divide the " + among
                    + " ranks that parameters are divided among");
        }
    }

    /** The neighbours among whom something is divided. */
    private Collectives row(int length) {
        int first = world.rank() / length * length;
        return new Collectives(
                world.of(IntStream.range(first, first + length).boxed().toList()), eager);
    }

    /** The ranks at the same place of all rows. */
    private Collectives column(int length) {
        return new Collectives(
                world.of(IntStream.range(0, world.size() / length)
                        .map(row -> row * length + world.rank() % length)
                        .boxed()
                        .toList()),
                eager);
    }

    @Override
    public void wrap(ModelMemory model, BackwardPass passes) {
        shared = new Communication(eager, passes);
        eager.own(Communication.OWNER);
        List<String> blocks = options.wrap() == ShardingOptions.Wrap.ROOT ? List.of() : RepeatedBlocks.of(graph);
        List<Unit> wrapped = Unit.of(graph.held(), blocks);
        for (Unit unit : wrapped) {
            units.put(unit.path(), wrap(model, unit));
        }
        if (parallel.build() == Parallelism.Build.META) {
            materialise(model, wrapped);
        }
    }

    private UnitHooks wrap(ModelMemory model, Unit unit) {
        if (parallel.build() == Parallelism.Build.CPU) {
            unit.parameters().forEach(model::materialise);
            unit.buffers().forEach(model::materialise);
        }
        List<ShardedParameter> parameters = new ArrayList<>();
        Map<String, ShardedParameter> byName = new LinkedHashMap<>();
        for (String name : unit.parameters()) {
            Tensor whole = Objects.requireNonNull(model.all().get(name), name);
            DType type = options.paramDtype() == null || !whole.dtype().isFloatingPoint()
                    ? whole.dtype()
                    : options.paramDtype();
            ShardedParameter p = new ShardedParameter(
                    eager,
                    name,
                    whole,
                    type,
                    shards.group().rank(),
                    shards.group().size());
            parameters.add(p);
            byName.put(name, p);
        }
        byName.forEach((name, p) -> model.replace(name, p.sharded(), p.whole()));
        boolean root = unit.path().isEmpty();
        DType reduce = options.reduceDtype() == options.paramDtype() ? null : options.reduceDtype();
        ParameterGroup group =
                new ParameterGroup(shared, parameters, shards, root ? null : afterForward(), replicas, reduce);
        return new UnitHooks(shared, group, byName, options.paramDtype(), this::finish);
    }

    /** Among whom a block is divided after its forward pass; {@code null}: it stays whole. */
    private @Nullable Collectives afterForward() {
        Integer ranks = options.reshardAfterForward();
        if (ranks != null && ranks == 0) {
            return null;
        }
        return ranks == null || ranks == 1 ? shards : row(ranks);
    }

    /**
     * {@code model.to_empty(device="cuda")}: a tied parameter is made at each of its places, and the one before goes
     * (torch/nn/modules/module.py, Module._apply, which swaps tensors).
     */
    private void materialise(ModelMemory model, List<Unit> wrapped) {
        Map<String, ShardedParameter> byName = new HashMap<>();
        units.values().forEach(u -> byName.putAll(u.parameters()));
        List<String> places = model.places();
        Map<Integer, List<Unit>> done = new HashMap<>();
        wrapped.forEach(unit -> done.computeIfAbsent(lastOf(unit, places), k -> new ArrayList<>())
                .add(unit));
        Map<String, Tensor> before = new HashMap<>();
        for (int i = 0; i < places.size(); i++) {
            String name = places.get(i);
            ShardedParameter p = byName.get(name);
            boolean last = !places.subList(i + 1, places.size()).contains(name);
            if (p == null) {
                model.materialise(name);
            } else if (last) {
                model.initialise(name, p.materialise());
                eager.release(before.remove(name));
            } else {
                try (Scope s = eager.open()) {
                    Tensor other = eager.hold(
                            eager.unallocated(p.sharded().dtype(), p.sharded().sizes()));
                    eager.takeStorage(other);
                    eager.release(before.put(name, other));
                }
            }
            // FSDPModule._apply: a wrapped module pads what its unit has, once all inside of it is there.
            for (Unit unit : done.getOrDefault(i, List.of())) {
                Objects.requireNonNull(units.get(unit.path()))
                        .parameters()
                        .values()
                        .forEach(ShardedParameter::pad);
            }
        }
    }

    /** The last place of what a unit has; of the model itself the last of all. */
    private static int lastOf(Unit unit, List<String> places) {
        int last = unit.path().isEmpty() ? places.size() - 1 : -1;
        for (int i = 0; i < places.size(); i++) {
            boolean own =
                    unit.parameters().contains(places.get(i)) || unit.buffers().contains(places.get(i));
            last = own ? Math.max(last, i) : last;
        }
        return last;
    }

    @Override
    public Map<String, ModuleHooks> hooks() {
        return Map.copyOf(units);
    }

    @Override
    public boolean hooksAreAroundCheckpoints() {
        return !CheckpointPlan.hasSwitch(graph);
    }

    @Override
    public void beforeForward(boolean last) {
        shared.setReduces(last || !parallel.noSync());
    }

    @Override
    public Tensor[] afterForward(Tensor[] made) {
        return made;
    }

    /** _root_post_backward_final_callback. */
    private void finish() {
        inOrder().forEach(UnitHooks::finishBackward);
        shared.finish();
    }

    /** The model's own unit first, then the others. */
    private List<UnitHooks> inOrder() {
        List<UnitHooks> out = new ArrayList<>(units.values());
        out.add(0, out.remove(out.size() - 1));
        return out;
    }

    /**
     * A norm over all shards is the root of the sum of squares: one all-reduce for the list
     * (torch/distributed/tensor/_ops/_math_ops.py, _NormPartial).
     */
    @Override
    public Tensor ofAllRanks(Tensor norms) {
        return eager.call(() -> {
            Tensor squares = Elementwise.unary(eager, SQUARE, norms);
            Tensor sums = eager.emptyLike(squares); // a functional collective works on a copy
            Copies.fill(eager, sums, squares);
            shards.allReduce(sums);
            Tensor out = Elementwise.unary(eager, ROOT, sums);
            eager.free(squares);
            eager.free(sums);
            return out;
        });
    }

    /** torch/distributed/tensor/_dispatch.py, found_inf_reduce_handler. */
    @Override
    public void lookedForInfinities(Tensor found) {
        try (Scope s = eager.open()) {
            Tensor copy = eager.emptyLike(found);
            Copies.fill(eager, copy, found);
            shards.allReduceMost(copy);
            Copies.fill(eager, found, copy);
        }
    }

    @Override
    public void rest() {
        // no collective leaves anything behind
    }

    @Override
    public void close() {
        if (shared != null) {
            units.values().forEach(u -> u.group().close());
            shared.close();
        }
    }
}
