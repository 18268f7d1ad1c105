package dev.headroom.estimator.predict;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers one question after the other, as {@link Predictor} does, and the faster the more that follow each other
 * differ in the card alone. Not for several threads at once.
 */
public final class SharedPredictor {
    private @Nullable Graph graph;
    private Scenario asked = Scenario.defaults();
    private final Map<Object, SharedPlays> byCard = new HashMap<>();

    /**
     * The same answer as {@link Predictor#predict}.
     *
     * @throws dev.headroom.model.error.UserInputException for impossible input
     */
    @SuppressWarnings("ReferenceEquality") // to compare graphs by their nodes takes longer than to play again
    public Prediction predict(PredictionRequest request) {
        if (!SharedPlays.serves(request.scenario())) {
            return Predictor.predict(request);
        }
        Scenario onAny = request.scenario().withDevice(request.device().unknown());
        if (graph != request.graph() || !onAny.equals(asked)) {
            graph = request.graph();
            asked = onAny;
            byCard.clear();
        }
        SharedPlays plays = byCard.computeIfAbsent(Predictor.device(request), card -> new SharedPlays());
        return Summaries.of(request, plays.run(request), plays);
    }
}
