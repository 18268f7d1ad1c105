package dev.headroom.estimator.parallel;

import dev.headroom.estimator.loop.PreparedRuns;
import dev.headroom.estimator.parallel.ddp.DistributedDataParallel;
import dev.headroom.estimator.parallel.dp.DataParallel;
import dev.headroom.estimator.parallel.fsdp1.FullyShardedDataParallel;
import dev.headroom.estimator.parallel.fsdp2.FullyShard;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.group.LoggedPhases;
import dev.headroom.estimator.parallel.group.Mesh;
import dev.headroom.estimator.parallel.group.ProcessGroup;
import dev.headroom.estimator.parallel.mp.SplitModel;
import dev.headroom.estimator.parallel.tensor.GroupedParameters;
import dev.headroom.estimator.parallel.tensor.TensorParallel;
import dev.headroom.estimator.parallel.zero.DeepSpeedEngine;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.check.ParallelChecks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes a run one rank's; the one place to add a strategy. */
public final class Strategies {
    private Strategies() {}

    /**
     * What a scenario's rank adds to the run of a single GPU; the first rank where the scenario names none.
     *
     * @throws UserInputException for a strategy that is not modelled, and for options that contradict each other
     */
    public static RankRun of(PreparedRuns runs, Scenario run) {
        ParallelChecks.check(run);
        Parallelism parallel = run.parallel();
        int rank = parallel.rank() == null ? 0 : parallel.rank();
        return switch (parallel.kind()) {
            case SINGLE -> new RankRun(List.of(), new CollectiveLog());
            case DP -> dp(runs.imported(), run);
            case MP -> mp(runs.imported(), run);
            case PP, PP_DDP, PP_FSDP2, PP_TP, PP_FSDP2_TP -> Grids.of(runs, run, rank);
            case DDP -> ddp(run, ProcessGroup.world(parallel.world(), rank));
            case FSDP1 -> fsdp1(run, rank);
            case FSDP2 -> fsdp2(run, rank);
            case ZERO1, ZERO2, ZERO3 -> zero(run, ProcessGroup.world(parallel.world(), rank));
            case TP, TP_FSDP2 -> tensor(run, rank);
            default ->
                throw new UserInputException("`parallel=" + parallel.kind().option() + "` is not modelled yet");
        };
    }

    private static RankRun fsdp1(Scenario run, int rank) {
        CollectiveLog log = new CollectiveLog();
        Communicators of = Communicators.of(run, log, rank);
        return new RankRun(
                List.of(
                        new FullyShardedDataParallel(run, of.shards(), of.replicas()),
                        gather(run, of, log, rank),
                        new LoggedPhases(log)),
                log);
    }

    private static RankRun fsdp2(Scenario run, int rank) {
        CollectiveLog log = new CollectiveLog();
        Communicators of = Communicators.of(run, log, rank);
        return new RankRun(
                List.of(
                        new FullyShard(run, log, of.shards(), of.replicas()),
                        gather(run, of, log, rank),
                        new LoggedPhases(log)),
                log);
    }

    /** Who has other shards of parameters, and who the same: {@code null} for nobody. */
    private record Communicators(
            Communicator shards, @Nullable Communicator replicas) {
        static Communicators of(Scenario run, CollectiveLog log, int rank) {
            Mesh mesh = new Mesh(run.parallel().grid());
            List<Integer> at = mesh.coordinates(rank);
            int inner = mesh.sizes().size() - 1;
            Communicator shards = new Communicator(log, mesh.sizes().get(inner), at.get(inner));
            return new Communicators(
                    shards,
                    inner == 0 ? null : new Communicator(log, mesh.sizes().get(0), at.get(0)));
        }
    }

    private static RankRun dp(Graph imported, Scenario run) {
        CollectiveLog log = new CollectiveLog();
        return new RankRun(
                List.of(new DataParallel(imported, log, run.parallel().world())), log);
    }

    private static RankRun mp(Graph imported, Scenario run) {
        CollectiveLog log = new CollectiveLog();
        return new RankRun(List.of(new SplitModel(imported, run.parallel(), log)), log);
    }

    /** Ranks next to each other share layers; the groups of them know nothing of each other. */
    private static RankRun tensor(Scenario run, int rank) {
        int size = run.parallel().tensorDegree();
        CollectiveLog log = new CollectiveLog();
        Communicator group = new Communicator(log, size, rank % size);
        if (run.parallel().kind() == ParallelKind.TP) {
            return new RankRun(
                    List.of(new TensorParallel(run, group, null), new GroupedParameters(), new LoggedPhases(log)), log);
        }
        Communicator shards = new Communicator(log, run.parallel().world() / size, rank / size);
        return new RankRun(
                List.of(
                        new TensorParallel(run, group, shards),
                        new GroupedParameters(),
                        new FullyShard(run, log, shards, null),
                        new LoggedPhases(log)),
                log);
    }

    private static RankRun ddp(Scenario run, ProcessGroup group) {
        Collectives collectives = new Collectives(group);
        return new RankRun(
                List.of(new DistributedDataParallel(run, collectives), gather(run, collectives), collectives),
                collectives.log());
    }

    private static RankRun zero(Scenario run, ProcessGroup group) {
        Collectives collectives = new Collectives(group);
        return new RankRun(
                List.of(new DeepSpeedEngine(run, collectives), gather(run, collectives), collectives),
                collectives.log());
    }

    private static WorldGather gather(Scenario run, Collectives collectives) {
        return new WorldGather(
                run.parallel().world(), t -> collectives.runHere(CollectiveKind.ALL_GATHER, t.nbytes(), t.dtype(), -1));
    }

    private static WorldGather gather(Scenario run, Communicators of, CollectiveLog log, int rank) {
        int world = run.parallel().world();
        Communicator all = of.replicas() == null ? of.shards() : new Communicator(log, world, rank);
        return new WorldGather(world, t -> all.runHere(CollectiveKind.ALL_GATHER, t.nbytes(), t.dtype(), -1));
    }
}
