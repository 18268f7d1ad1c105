package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.parallel.pipeline.StageRegime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import java.util.List;

/**
 * A stage of a pipeline that {@code fully_shard} has divided. Its backward passes neither reduce gradients nor divide
 * parameters again; both happen once all microbatches are through.
 */
public final class ShardedStage implements StageRegime {
    private final Parallelism parallel;
    private final StageModule module;
    private final List<String> blocks;
    private final List<UnitPlan> named;
    private final ShardedModel model;

    /** @param whole the graph of the whole model, whose blocks are units of the stages that have them */
    public ShardedStage(Parallelism parallel, CollectiveLog log, Communicator shards, Graph whole, StageModule module) {
        this.parallel = parallel;
        this.module = module;
        this.blocks = RepeatedBlocks.of(whole);
        this.named = UnitPlan.named(whole, parallel.sharding());
        this.model = new ShardedModel(parallel, log, shards, null, module, false);
    }

    @Override
    public void wrap() {
        boolean root = parallel.sharding().wrap() == ShardingOptions.Wrap.ROOT;
        List<UnitPlan> plan = named.isEmpty() ? UnitPlan.each(root ? List.of() : blocks) : named;
        model.wrap(plan.stream()
                .map(unit -> unit.within(module.modules()))
                .filter(unit -> !unit.modules().isEmpty())
                .toList());
    }

    @Override
    public void beforeBackward(boolean last) {
        model.shared().setLastOfStep(false);
    }

    @Override
    public Tensor registered(Tensor parameter) {
        return model.registered(parameter);
    }

    @Override
    public void unshard() {
        model.groups().forEach(ParameterGroup::unshardAhead);
    }

    @Override
    public void waitForUnshard() {
        model.groups().forEach(ParameterGroup::waitForUnshard);
    }

    @Override
    public void reshard() {
        model.groups().forEach(ParameterGroup::reshard);
    }

    @Override
    public void reduceGradients() {
        model.shared().setLastOfStep(true);
        model.groups().forEach(ParameterGroup::postBackward);
        model.finish();
    }
}
