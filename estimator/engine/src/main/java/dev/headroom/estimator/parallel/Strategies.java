package dev.headroom.estimator.parallel;

import dev.headroom.estimator.parallel.ddp.DistributedDataParallel;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.group.LoggedPhases;
import dev.headroom.estimator.parallel.group.ProcessGroup;
import dev.headroom.estimator.parallel.tensor.TensorParallel;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.ParallelChecks;
import dev.headroom.model.scenario.Parallelism;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/** Makes a run one rank's; the one place to add a strategy. */
public final class Strategies {
    private Strategies() {}

    /**
     * What a scenario's rank adds to the run of a single GPU; the first rank where the scenario names none.
     *
     * @throws UserInputException for a strategy that is not modelled, and for options that contradict each other
     */
    public static RankRun of(Scenario run) {
        ParallelChecks.check(run);
        Parallelism parallel = run.parallel();
        int rank = parallel.rank() == null ? 0 : parallel.rank();
        return switch (parallel.kind()) {
            case SINGLE -> new RankRun(List.of(), new CollectiveLog());
            case DDP -> ddp(run, ProcessGroup.world(parallel.world(), rank));
            case TP -> tensor(run, rank);
            default ->
                throw new UserInputException(
                        "--parallel " + parallel.kind().option() + " is not modelled yet; ddp and tp are");
        };
    }

    /** Ranks next to each other share layers; the groups of them know nothing of each other. */
    private static RankRun tensor(Scenario run, int rank) {
        Integer degree = run.parallel().tensor().degree();
        int size = degree == null ? run.parallel().world() : degree;
        CollectiveLog log = new CollectiveLog();
        Communicator group = new Communicator(log, size, rank % size);
        return new RankRun(List.of(new TensorParallel(run, group), new LoggedPhases(log)), log);
    }

    private static RankRun ddp(Scenario run, ProcessGroup group) {
        Collectives collectives = new Collectives(group);
        return new RankRun(List.of(new DistributedDataParallel(run, collectives), collectives), collectives.log());
    }
}
