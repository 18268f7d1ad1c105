package dev.headroom.estimator.certainty;

import java.util.Arrays;

/**
 * How far estimates of compiled runs from archives alone are off, learned on recordings (split conformal prediction, as
 * in {@link Deviations}): the rules of compiling are rebuilt, not all of what decides where buffers are reused.
 */
public final class CompiledSpread {
    private static final String RESOURCE = "compiled.csv";
    private static final double PERCENT = 100;

    private CompiledSpread() {}

    /** The span widened so that it holds what a compiled run reserves, with the probability of {@link Certainty}. */
    public static Span widened(Span reserved) {
        double margin = margin(Known.PERCENTS, Certainty.LEVEL) / PERCENT;
        return new Span(
                Math.round(reserved.low() * (1 - margin)),
                reserved.high() > Long.MAX_VALUE / 2 ? reserved.high() : Math.round(reserved.high() * (1 + margin)));
    }

    /** Percent that a further run keeps within with a probability, given those of earlier ones. */
    static double margin(double[] percents, double level) {
        double[] sizes = Arrays.stream(percents).map(Math::abs).sorted().toArray();
        return Residuals.margin(sizes, level);
    }

    /** Percents of the recordings, one a run. */
    static double[] percents() {
        return Known.PERCENTS.clone();
    }

    private static final class Known {
        static final double[] PERCENTS = Residuals.read(RESOURCE);
    }
}
