package dev.headroom.validation.generate;

import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.measure.Comparison;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.measure.BackendProvider;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.executor.measure.MeasurementRequest;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.jqwik.api.Assume;
import net.jqwik.api.statistics.Statistics;

/** Measures all ranks of a run and predicts each. */
final class RanksAgree {
    private RanksAgree() {}

    /**
     * Every phase of every rank is as predicted, or both sides refuse the run.
     *
     * @param run on a card
     * @param c what it was made from
     */
    static void check(Graph graph, Scenario run, RandomCase c, BackendProvider provider) {
        Assume.that(Lacking.nothing(c));
        long memory = run.device().gpu().memory();
        List<String> refusals = new ArrayList<>();
        List<Measurement> ranks = accepted(
                refusals,
                () -> Measurer.measureRanks(
                        new MeasurementRequest(graph, run, 1, false), rank -> provider.open(memory, 0), phase -> {}));
        Statistics.collect(ranks == null ? "refused" : "measured");
        List<Prediction> predicted = new ArrayList<>();
        for (int rank = 0; rank < run.parallel().world(); rank++) {
            PredictionRequest asked = new PredictionRequest(graph, run.with(RANK, rank));
            predicted.add(accepted(refusals, () -> Predictor.predict(asked)));
        }
        assertEquals(ranks == null, predicted.contains(null), () -> "only one side refuses: " + refusals);
        for (int rank = 0; ranks != null && rank < ranks.size(); rank++) {
            Comparison compared = Comparison.of(predicted.get(rank), ranks.get(rank));
            String name = "rank " + rank + "\n";
            assertTrue(
                    compared.equal(),
                    () -> name
                            + compared.different().stream()
                                    .map(p -> p.title() + "\n  predicted " + p.predicted() + "\n  measured  "
                                            + p.measured())
                                    .collect(Collectors.joining("\n")));
        }
    }

    /** {@code null} for what is refused. */
    private static <T> T accepted(List<String> refusals, Supplier<T> question) {
        try {
            return question.get();
        } catch (UserInputException e) {
            refusals.add(e.getMessage());
            return null;
        }
    }
}
