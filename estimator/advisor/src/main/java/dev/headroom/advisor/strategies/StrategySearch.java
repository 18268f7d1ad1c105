package dev.headroom.advisor.strategies;

import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;

import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Ranks;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;

/** Plays the strategies of {@link StrategyTable} for a run within a card's memory. */
public final class StrategySearch {
    /** The largest world that is tried. */
    private static final int MOST_GPUS = 1024;

    private final PredictionRequest asked;
    private final IntConsumer progress;
    private int played;

    /** @param progress is told how many strategies were played so far */
    public StrategySearch(PredictionRequest asked, IntConsumer progress) {
        this.asked = asked;
        this.progress = progress;
    }

    /** All strategies on some GPUs: those that fit, the ones that communicate least first; then those that do not. */
    public List<PlayedStrategy> on(int gpus) {
        List<PlayedStrategy> out = new ArrayList<>();
        for (Strategy strategy : StrategyTable.ALL) {
            out.add(play(strategy, gpus));
            progress.accept(++played);
        }
        out.sort(Comparator.comparing((PlayedStrategy s) -> !s.refused().isEmpty())
                .thenComparing(s -> !s.fits())
                .thenComparing(PlayedStrategy::communicated)
                .thenComparing(s -> s.peak() == null ? 0 : s.peak().device()));
        return List.copyOf(out);
    }

    /** The least of 2, 4, 8 … GPUs on which a strategy fits; empty where none does. */
    public Optional<Integer> fewest() {
        for (int gpus = 2; gpus <= MOST_GPUS; gpus *= 2) {
            for (Strategy strategy : StrategyTable.ALL) {
                boolean fits = play(strategy, gpus).fits();
                progress.accept(++played);
                if (fits) {
                    return Optional.of(gpus);
                }
            }
        }
        return Optional.empty();
    }

    private PlayedStrategy play(Strategy strategy, int gpus) {
        Scenario spread = strategy.spread().apply(asked.scenario().with(WORLD, gpus));
        try {
            Ranks ranks = Ranks.of(asked.with(spread));
            Scenario worst = spread.with(RANK, ranks.worst());
            Simulation run = Predictor.simulate(asked.with(worst));
            boolean fits = run.oom() == null;
            Prediction.Peak peak =
                    fits ? ranks.peak() : Ranks.peak(asked.with(worst).unbounded());
            return new PlayedStrategy(strategy, worst, fits, peak, communicated(run), "");
        } catch (UserInputException e) {
            return new PlayedStrategy(strategy, spread, false, null, 0, e.getMessage());
        }
    }

    /** Bytes of the last step. */
    private static long communicated(Simulation run) {
        List<PhaseMemory> phases = run.phases();
        Integer last =
                phases.isEmpty() ? null : phases.get(phases.size() - 1).moment().step();
        long sum = 0;
        for (int i = 0; i < Math.min(phases.size(), run.collectives().size()); i++) {
            if (last != null && last.equals(phases.get(i).moment().step())) {
                sum += run.collectives().get(i).stream()
                        .mapToLong(CollectiveRow::allBytes)
                        .sum();
            }
        }
        return sum;
    }
}
