package dev.headroom.predict;

/** The library's entry: answers a {@link PredictionRequest}. */
public final class Predictor {
    private Predictor() {}

    /**
     * Plays the run.
     *
     * @throws dev.headroom.graph.GraphException for impossible input, with a message for the user
     */
    public static Prediction predict(PredictionRequest request) {
        throw new UnsupportedOperationException("under construction");
    }
}
