package dev.headroom.advisor.checkpoints;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks for plans by the model of costs, and plays them. */
final class CheckpointSearch {
    /** Budgets between the leanest plan and store all that a plan is looked for. */
    private static final int BUDGETS = 10;

    /** Plays that it may take to hit a budget. */
    private static final int ATTEMPTS = 6;

    /** With more pairs of segments, checkpoints in checkpoints take too long to find. */
    private static final long NESTED_PAIRS = 100_000;

    private static final String NAME = "planned";

    private final Rehearsal rehearsal;
    private final Stages stages;
    private final boolean reentrant;
    private final CostSurvey survey;
    private final PassLog log;
    private final ChainProgram program;
    private final StageCosts costs;

    CheckpointSearch(Rehearsal rehearsal) {
        this.rehearsal = rehearsal;
        Graph graph = rehearsal.storeAll().prepared().plan().graph();
        stages = Stages.of(graph);
        reentrant = reentrant(rehearsal.asked());
        survey = new CostSurvey(rehearsal, stages);
        log = new PassLog(rehearsal.storeAll(), stages);
        costs = survey.costs(log, reentrant, false);
        program = new ChainProgram(costs);
    }

    /** What the run says; else not re-entrant, which came with 1.11 (torch/utils/checkpoint.py). */
    private static boolean reentrant(Scenario run) {
        return run.checkpointing().reentrant() != null
                ? run.checkpointing().reentrant()
                : !run.torch().since(1, 11);
    }

    List<CheckpointChoice> choices() {
        playAcross();
        return Pareto.front(rehearsal.choices());
    }

    CheckpointPlans plans() {
        List<CheckpointChoice> baselines = playAcross();
        boolean chain = survey.isChain();
        String method = "dynamic program over " + stages.size() + " stages of a "
                + (chain ? "chain" : "model that is no chain, whose costs it takes for a chain's");
        return new CheckpointPlans(
                Pareto.front(rehearsal.choices()),
                baselines,
                lowerBound(),
                nestedLeast(),
                method,
                chain && program.exact());
    }

    /** Plays plans between the leanest and store all, and what users do without a planner, which is returned. */
    private List<CheckpointChoice> playAcross() {
        Baselines baselines = new Baselines(rehearsal, stages, reentrant);
        long low = program.leanestPeak();
        long high = costs.evaluate(List.of()).peak();
        List<Long> budgets = LongStream.range(0, BUDGETS)
                .mapToObj(k -> low + (high - low) * k / BUDGETS)
                .toList();
        List<Candidate> candidates = rehearsal
                .processors()
                .map(budgets, budget -> candidate(Objects.requireNonNull(program.cheapest(budget))));
        rehearsal.simulate(Stream.concat(baselines.candidates().stream(), candidates.stream())
                .toList());
        List<CheckpointChoice> played = baselines.choices();
        candidates.forEach(rehearsal::play);
        return played;
    }

    /** What must be alive at some moment, or what the leanest plan is sure to need where that is more. */
    private long lowerBound() {
        PassLog brief = new PassLog(rehearsal.storeAllBriefly(), stages);
        ChainProgram least = new ChainProgram(survey.costs(brief, reentrant, true));
        return Math.max(brief.necessary(), least.leanestPeak() + brief.forwardStart[0]);
    }

    private @Nullable NestedLeast nestedLeast() {
        if (NestedChain.work(costs.allowed()) > NESTED_PAIRS) {
            return null;
        }
        NestedChain nested = new NestedChain(survey.nested(log, costs, reentrant));
        NestedSchedule leanest = Objects.requireNonNull(nested.leanest());
        return new NestedLeast(
                leanest.peak() + log.forwardStart[0],
                program.leanestPeak() - leanest.peak(),
                rehearsal.share(leanest.again()),
                leanest.segments().stream().mapToInt(NestedSegment::depth).max().orElse(0),
                checkpoints(leanest.segments()),
                nested.exact());
    }

    private List<NestedLeast.Checkpoint> checkpoints(List<NestedSegment> segments) {
        return segments.stream()
                .map(s -> new NestedLeast.Checkpoint(stages.name(s.first(), s.last()), checkpoints(s.inner())))
                .toList();
    }

    private Candidate candidate(Schedule s) {
        return new Candidate(NAME, 0, stages.names(s.pieces()), reentrant);
    }

    private Optional<CheckpointChoice> play(Schedule s) {
        return rehearsal.play(candidate(s));
    }

    /**
     * Plays plans around a budget: where a play differs from the model, the model is asked for as much less or more. A
     * budget that none of them meets may still be met by a plan that the model holds for worse than it is.
     */
    void search(long budget) {
        long before = log.forwardStart[0];
        long target = budget - before;
        boolean met = false;
        for (int k = 0; k < ATTEMPTS; k++) {
            Schedule s = program.cheapest(target);
            if (s == null) {
                break;
            }
            Optional<CheckpointChoice> played = play(s);
            long peak = played.isPresent() ? played.get().peakAllocated() : budget + 1;
            boolean fits = peak <= budget;
            long asked = budget - before - (peak - before - s.peak());
            if (fits && asked <= target) {
                return;
            }
            met |= fits;
            target = fits ? asked : Math.min(target - 1, asked);
        }
        if (!met) {
            playAcross();
        }
    }
}
