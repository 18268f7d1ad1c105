package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.parallel.pipeline.StageRegime;
import dev.headroom.estimator.program.NodeHook;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.plan.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stage of a pipeline whose layers are shared. */
public final class SharedStage implements StageRegime {
    private final LayerSharing sharing;
    private final SharingPlan plan;
    private final Communicator group;

    /** @param plan of the whole model */
    public SharedStage(Parallelism parallel, Communicator group, SharingPlan plan, StageModule module) {
        this.plan = plan;
        this.group = group;
        this.sharing = new LayerSharing(
                parallel,
                new TensorRanks(module.runtime(), group),
                parallel.kind().shardsWithFsdp2(),
                plan,
                module);
    }

    @Override
    public void wrap() {
        sharing.wrap();
    }

    @Override
    public @Nullable NodeHook nodes() {
        return sharing.nodes();
    }

    @Override
    public long[] local(long[] sizes, Placement placement) {
        return Chunks.local(sizes, placement.dim(), group.size(), group.rank());
    }

    /** As the module that is given it says, in this stage or the next. */
    @Override
    public @Nullable Placement received(List<String> readers) {
        return plan.modules().stream()
                .filter(p -> readers.contains(p.path()))
                .flatMap(p -> p.style().inputs().stream().limit(1))
                .filter(p -> p != null && p.isShard())
                .findFirst()
                .orElse(null);
    }
}
