package dev.headroom.advisor.strategies;

import static dev.headroom.model.scenario.ParallelSettings.WORLD;

import dev.headroom.estimator.parallel.group.Traffic;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Ranks;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;

/** Plays the strategies of {@link StrategyTable} for a run within a card's memory. */
public final class StrategySearch {
    /** The largest world that is tried. */
    private static final int MOST_GPUS = 1024;

    private final PredictionRequest asked;
    private final IntConsumer progress;
    private final Map<Scenario, PlayedStrategy> plays = new HashMap<>();

    /** @param progress is told how many strategies were played so far */
    public StrategySearch(PredictionRequest asked, IntConsumer progress) {
        this.asked = asked;
        this.progress = progress;
    }

    /** All strategies on some GPUs: those that fit, the ones that communicate least first; then those that do not. */
    public List<PlayedStrategy> on(int gpus) {
        List<PlayedStrategy> out = new ArrayList<>();
        for (Strategy strategy : StrategyTable.of(asked.scenario())) {
            out.add(play(strategy, gpus));
        }
        out.sort(Comparator.comparing((PlayedStrategy s) -> !s.refused().isEmpty())
                .thenComparing(s -> !s.fits())
                .thenComparing(s -> s.fits() ? s.communicated() : 0)
                .thenComparing(s -> s.peak() == null ? 0 : s.peak().device()));
        return List.copyOf(out);
    }

    /** The least of 2, 4, 8 … GPUs on which a strategy fits; empty where none does. */
    public Optional<Integer> fewest() {
        for (int gpus = 2; gpus <= MOST_GPUS; gpus *= 2) {
            for (Strategy strategy : StrategyTable.of(asked.scenario())) {
                if (play(strategy, gpus).fits()) {
                    return Optional.of(gpus);
                }
            }
        }
        return Optional.empty();
    }

    /** Each once: what was played in search of the fewest GPUs is told afterwards. */
    private PlayedStrategy play(Strategy strategy, int gpus) {
        Scenario spread = strategy.spread().apply(asked.scenario().with(WORLD, gpus));
        PlayedStrategy known = plays.get(spread);
        if (known == null) {
            known = play(strategy, spread);
            plays.put(spread, known);
            progress.accept(plays.size());
        }
        return known;
    }

    private static boolean mayStartOnMeta(Scenario spread) {
        return spread.parallel().kind() == ParallelKind.FSDP2
                && spread.parallel().build() == Parallelism.Build.CUDA;
    }

    private PlayedStrategy play(Strategy strategy, Scenario spread) {
        try {
            Ranks ranks = Ranks.of(asked.with(spread));
            PredictionRequest worst = ranks.ofWorst(asked.with(spread));
            Simulation run = ranks.run();
            OutOfMemory oom = run.oom();
            boolean fits = oom == null;
            if (oom != null && oom.moment().phase() == Phase.MODEL && mayStartOnMeta(spread)) {
                Strategy fromMeta = strategy.fromMeta();
                return play(fromMeta, fromMeta.spread().apply(spread));
            }
            Prediction.Peak peak = fits ? ranks.peak() : Ranks.peak(worst.unbounded());
            long sent = Traffic.ofLastStep(run.phases(), run.collectives()).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            return new PlayedStrategy(strategy, worst.scenario(), fits, peak, sent, "");
        } catch (UserInputException e) {
            return new PlayedStrategy(strategy, spread, false, null, 0, e.getMessage());
        }
    }
}
