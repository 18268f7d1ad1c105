package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.parallel.unit.Unit;
import dev.headroom.estimator.parallel.unit.Units;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.ModuleHooks;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model whose units {@code fully_shard} has wrapped; the whole one, or a stage of it. */
final class ShardedModel {
    private final Parallelism parallel;
    private final ShardingOptions options;
    private final CollectiveLog log;
    private final Communicator shards;
    private final @Nullable Communicator replicas;
    private final EagerRuntime runtime;
    private final StageModule module;
    private final boolean loads;
    private final Communication shared;
    private final List<UnitHooks> units = new ArrayList<>();

    /**
     * A model.
     *
     * @param replicas ranks that have the same shards; {@code null} for none
     * @param loads whether {@link #load} follows, where the model is on the meta device
     */
    ShardedModel(
            Parallelism parallel,
            CollectiveLog log,
            Communicator shards,
            @Nullable Communicator replicas,
            StageModule module,
            boolean loads) {
        this.parallel = parallel;
        this.loads = loads;
        this.options = parallel.sharding();
        this.log = log;
        this.shards = shards;
        this.replicas = replicas;
        this.module = module;
        this.runtime = module.runtime();
        this.shared = new Communication(runtime, module.engine(), module.place());
        Integer after = options.reshardAfterForward();
        if (after != null && after > 1 && shards.size() % after != 0) {
            throw new UserInputException("`reshard_after_forward=" + after + "`: parameters are divided among "
                    + shards.size() + " ranks; name a divisor of that");
        }
    }

    Communication shared() {
        return shared;
    }

    /** Of the units that have parameters. */
    List<ParameterGroup> groups() {
        return units.stream().map(UnitHooks::group).filter(g -> !g.isEmpty()).toList();
    }

    /** What modules have in the place of a parameter now: the whole one while its unit is gathered. */
    Tensor registered(Tensor parameter) {
        return groups().stream()
                .filter(ParameterGroup::isUnsharded)
                .flatMap(g -> g.parameters().stream())
                .filter(p -> p.sharded() == parameter)
                .map(ShardedParameter::unsharded)
                .findFirst()
                .orElse(parameter);
    }

    /** Wraps modules, and the model around them. */
    void wrap(List<UnitPlan> plan) {
        boolean around = !CheckpointPlan.hasSwitch(module.graph());
        Precision precision = new Precision(options.paramDtype(), options.reduceDtype());
        Sharding sharding = new Sharding(runtime, module.model(), shards, precision, parallel);
        Map<String, List<ShardedParameter>> wrapped = new HashMap<>();
        List<Unit> all = Units.ofGroups(
                module.graph().held(), plan.stream().map(UnitPlan::modules).toList());
        for (int i = 0; i < all.size(); i++) {
            boolean root = i == plan.size();
            boolean keeps = root || plan.get(i).keeps();
            runtime.attribute(runtime.number(new Attribution(all.get(i).path(), ModelTensors.PARAMETER, "")));
            List<ShardedParameter> parameters = sharding.of(all.get(i));
            all.get(i).modules().forEach(m -> wrapped.put(m, parameters));
            ParameterGroup group =
                    new ParameterGroup(shared, parameters, shards, keeps ? null : afterForward(), replicas);
            units.add(hook(all.get(i), new UnitHooks(shared, group, options, this::finish, root, around)));
        }
        // All states in the order of named_modules(): the model's own first.
        units.add(0, units.remove(units.size() - 1));
        if (parallel.build() == Parallelism.Build.META && !loads && !parallel.cpuOffload()) {
            new MetaModel(runtime, module.model()).materialise(module.graph().held(), wrapped);
        }
    }

    private UnitHooks hook(Unit unit, UnitHooks hooks) {
        List<String> modules = unit.modules();
        ModuleHooks.Hook hook = modules.size() == 1 ? hooks : new GroupHook(modules, hooks);
        modules.forEach(m -> runtime.modules().add(m, hook));
        return hooks;
    }

    /** Gives a model that was divided on the meta device what the first rank has loaded. */
    void load() {
        new StateDictLoad(
                        runtime,
                        module.model(),
                        groups(),
                        parallel.cpuOffload(),
                        shards.rank(),
                        t -> shards.runHere(CollectiveKind.BROADCAST, t.nbytes(), t.dtype(), 0))
                .load(module.graph().held());
    }

    /** Among which ranks a block is divided after its forward pass; each has a group of its own when they are fewer. */
    private @Nullable Communicator afterForward() {
        Integer ranks = options.reshardAfterForward();
        if (ranks == null || ranks == 1 || ranks == shards.size()) {
            return shards;
        }
        return ranks == 0 ? null : new Communicator(log, ranks, shards.rank() % ranks);
    }

    /** The end of a backward pass (_root_post_backward_final_callback). */
    void finish() {
        units.forEach(UnitHooks::finishBackward);
        shared.finish();
    }
}
