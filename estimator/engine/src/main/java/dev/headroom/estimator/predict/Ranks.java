package dev.headroom.estimator.predict;

import static dev.headroom.model.scenario.ParallelSettings.RANK;

import dev.headroom.estimator.loop.PreparedRuns;
import dev.headroom.estimator.parallel.RankGroups;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** All ranks of a run on several GPUs: those that are alike are played once. */
public final class Ranks {
    /** Groups that are played: of more, the first and the last ones, between which sizes lie. */
    private static final int MOST = 16;

    /** A rank, and its run. */
    private record Played(int rank, Prediction.Peak peak, Simulation run) {
        static final Comparator<Played> BY_NEED = Comparator.comparing(Played::fails)
                .thenComparing(p -> p.peak().reserved())
                .thenComparing(p -> p.peak().allocated())
                .thenComparing(p -> -p.rank());

        boolean fails() {
            return run.oom() != null;
        }
    }

    /** What a rank takes, with its managed memory. */
    private record Taken(Prediction.Peak peak, long paged) {}

    /** What is known so far; only one of the runs is kept. */
    private static final class RankTable {
        private final Map<Taken, List<Integer>> alike = new LinkedHashMap<>();
        private @Nullable Played worst;

        synchronized void add(Played one, List<Integer> group) {
            worst = worst == null || Played.BY_NEED.compare(one, worst) > 0 ? one : worst;
            alike.computeIfAbsent(new Taken(one.peak(), one.run().paged()), taken -> new ArrayList<>())
                    .addAll(group);
        }
    }

    private final List<RankMemory> all;
    private final Played worst;
    private final int unplayed;

    private Ranks(List<RankMemory> all, Played worst, int unplayed) {
        this.all = all;
        this.worst = worst;
        this.unplayed = unplayed;
    }

    /** Whether a question is about all ranks of a world: there are several, and none is named. */
    public static boolean areAsked(PredictionRequest request) {
        Parallelism parallel = request.scenario().parallel();
        return parallel.kind() != ParallelKind.SINGLE && !parallel.kind().isOneProcess() && parallel.rank() == null;
    }

    /**
     * Plays every rank that is not like another.
     *
     * @throws dev.headroom.model.error.UserInputException for impossible input
     */
    public static Ranks of(PredictionRequest request) {
        PreparedRuns runs = new PreparedRuns(request.graph());
        List<List<Integer>> groups = RankGroups.of(runs.of(request.scenario()));
        List<List<Integer>> played = new ArrayList<>();
        int unplayed = 0;
        for (int g = 0; g < groups.size(); g++) {
            if (g >= MOST / 2 && g < groups.size() - MOST / 2) {
                unplayed += groups.get(g).size();
            } else {
                played.add(groups.get(g));
            }
        }
        RankTable table = new RankTable();
        SideBySide.each(played, group -> table.add(play(request, runs, group.get(0)), group));
        Map<Taken, List<Integer>> alike = table.alike;
        List<DeviceLine> beside = request.deviceLines();
        List<RankMemory> all = new ArrayList<>();
        alike.forEach((taken, ranks) ->
                all.add(new RankMemory(ranks.stream().sorted().toList(), taken.peak(), lines(taken, beside))));
        all.sort(Comparator.comparing((RankMemory r) -> r.peak().reserved())
                .thenComparing(r -> r.peak().allocated())
                .reversed()
                .thenComparing(r -> r.ranks().get(0)));
        return new Ranks(List.copyOf(all), Objects.requireNonNull(table.worst, "a world without ranks"), unplayed);
    }

    private static Played play(PredictionRequest request, PreparedRuns runs, int rank) {
        Simulation run = Predictor.player(request).play(runs, request.scenario().with(RANK, rank));
        return new Played(rank, Summaries.peak(request, run), run);
    }

    private static List<DeviceLine> lines(Taken taken, List<DeviceLine> beside) {
        List<DeviceLine> lines = new ArrayList<>();
        long reserved = taken.peak().reserved();
        lines.add(new DeviceLine(DeviceLine.RESERVED, reserved, reserved, reserved, Verdicts.RESERVED));
        lines.addAll(beside);
        if (taken.paged() > 0) {
            lines.add(DeviceLine.paged(taken.paged()));
        }
        return List.copyOf(lines);
    }

    /** Those that take the same together, the ones that take most first. */
    public List<RankMemory> all() {
        return all;
    }

    /** The run of the first rank that takes most, or that runs out of memory. */
    public Simulation run() {
        return worst.run();
    }

    /** The peaks of that rank. */
    public Prediction.Peak peak() {
        return worst.peak();
    }

    /** The peaks of the rank that a question names. */
    public static Prediction.Peak peak(PredictionRequest request) {
        return Summaries.peak(request, Predictor.simulate(request));
    }

    /** The question about that rank. */
    public PredictionRequest ofWorst(PredictionRequest request) {
        return request.with(request.scenario().with(RANK, worst.rank()));
    }

    /** A prediction of that rank with what the others take, as the answer to a question about all. */
    public Prediction tell(Prediction ofWorst) {
        Prediction told = ofWorst.withRanks(all);
        return unplayed == 0
                ? told
                : told.warnedOf(List.of(unplayed + " ranks between the first and the last " + MOST / 2
                        + " different ones were not played; `rank` asks for one"));
    }
}
