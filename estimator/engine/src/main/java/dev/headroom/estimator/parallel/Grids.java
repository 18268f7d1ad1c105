package dev.headroom.estimator.parallel;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.PreparedRuns;
import dev.headroom.estimator.parallel.ddp.ReplicatedStage;
import dev.headroom.estimator.parallel.fsdp2.ShardedStage;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.group.ProcessGroup;
import dev.headroom.estimator.parallel.pipeline.Pipeline;
import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.parallel.pipeline.StageRegime;
import dev.headroom.estimator.parallel.tensor.GroupedParameters;
import dev.headroom.estimator.parallel.tensor.SharedStage;
import dev.headroom.estimator.parallel.tensor.SharingPlan;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rank of a pipeline, or of a grid of ranks: the outermost dimension is the pipeline, the innermost the ranks that
 * share layers, as in {@code init_device_mesh("cuda", (P, D, T))}.
 */
final class Grids {
    private final PreparedRuns runs;
    private final Scenario run;
    private final Parallelism parallel;
    private final CollectiveLog log = new CollectiveLog();
    private final Communicator data;
    private final Communicator tensor;
    private @Nullable Collectives reduced;

    private Grids(PreparedRuns runs, Scenario run, int rank) {
        this.runs = runs;
        this.run = run;
        this.parallel = run.parallel();
        int size = parallel.tensorDegree();
        this.data = new Communicator(log, parallel.dataDegree(), rank / size % parallel.dataDegree());
        this.tensor = new Communicator(log, size, rank % size);
    }

    static RankRun of(PreparedRuns runs, Scenario run, int rank) {
        Parallelism parallel = run.parallel();
        Grids grid = new Grids(runs, run, rank);
        int stage = rank / (parallel.dataDegree() * parallel.tensorDegree());
        List<LoopHook> hooks = new ArrayList<>();
        hooks.add(new Pipeline(runs, parallel, stage, grid.log, grid::regimes));
        if (parallel.kind().isTensor()) {
            hooks.add(new GroupedParameters());
        }
        return new RankRun(hooks, grid.log);
    }

    private List<StageRegime> regimes(Graph whole, StageModule module) {
        List<StageRegime> out = new ArrayList<>();
        if (parallel.kind().isTensor()) {
            SharingPlan plan = runs.common(
                    SharingPlan.class,
                    run,
                    () -> SharingPlan.of(parallel.tensor(), whole.held().modules()));
            out.add(new SharedStage(parallel, tensor, plan, module));
        }
        if (parallel.kind().shardsWithFsdp2()) {
            out.add(new ShardedStage(parallel, log, data, whole, module));
        } else if (parallel.kind().isReplicated()) {
            out.add(new ReplicatedStage(parallel.ddp(), reduced(), module));
        }
        return out;
    }

    /** One communicator for the reducers of all stages. */
    private Collectives reduced() {
        if (reduced == null) {
            reduced = new Collectives(new ProcessGroup(data.size(), data.rank(), log.nextCommunicator()), log);
        }
        return reduced;
    }
}
