package dev.headroom.validation.real;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run on a real card.
 *
 * @param name unique in its set
 * @param group what stays together when runs are split into those that are learned from and those that are not: the
 *     model
 * @param request the same run as a question, on the whole card
 * @param measured bytes of the device; 0 where only the fate is known
 * @param fate what became of it
 * @param peers bytes that others predicted, by name
 * @param further the run a step beyond this one on a ladder, with the same fate: if its verdict is wrong, too, the
 *     largest batch is more than a step off; {@code null} where there is none
 * @param figure what was measured
 * @param player what plays the question
 */
public record RealRun(
        String name,
        String group,
        Supplier<PredictionRequest> request,
        long measured,
        Fate fate,
        Map<String, Long> peers,
        @Nullable RealRun further,
        Figure figure,
        Function<PredictionRequest, Simulation> player) {
    /** A run of a training loop that Headroom plays. */
    RealRun(
            String name,
            String group,
            Supplier<PredictionRequest> request,
            long measured,
            Fate fate,
            Map<String, Long> peers,
            @Nullable RealRun further,
            Figure figure) {
        this(name, group, request, measured, fate, peers, further, figure, Predictor::simulate);
    }

    /** The same, whose loop is another one. */
    RealRun playedBy(Function<PredictionRequest, Simulation> other) {
        return new RealRun(name, group, request, measured, fate, peers, further, figure, other);
    }

    /** A run that stands on no ladder. */
    RealRun(
            String name,
            String group,
            Supplier<PredictionRequest> request,
            long measured,
            Fate fate,
            Map<String, Long> peers) {
        this(name, group, request, measured, fate, peers, null, Figure.DEVICE);
    }

    /** What a measurement is of. */
    public enum Figure {
        /** All memory of the card that is taken, as nvidia-smi shows it. */
        DEVICE,
        /** The peak of PyTorch's allocated memory. */
        ALLOCATED
    }

    /** What became of a run. */
    public enum Fate {
        /** It ran. */
        FITS,
        /** It may have run within the card's memory, or run out of it. */
        EDGE,
        /** Memory ran out. */
        RAN_OUT
    }
}
