package dev.headroom.estimator.certainty;

import java.util.Arrays;

/**
 * How far predictions of compiled runs are off, learned on runs that were measured or recorded (split conformal
 * prediction, as in {@link Deviations}).
 */
public enum CompiledSpread {
    /** From archives alone: the rules of compiling are rebuilt, not all of what decides where buffers are reused. */
    ESTIMATES("compiled.csv"),

    /**
     * From plans: they do not say which reductions are tuned when they first run, nor how convolutions are padded, and
     * leave which of several segments a buffer is taken from to the allocator's state.
     */
    PLANS("plans.csv");

    private static final double PERCENT = 100;

    private final double[] percents;

    CompiledSpread(String resource) {
        percents = Residuals.read(resource);
    }

    /** The span widened so that it holds what a compiled run reserves, with the probability of {@link Certainty}. */
    public Span widened(Span reserved) {
        double margin = margin(percents, Certainty.LEVEL) / PERCENT;
        return new Span(
                Math.round(reserved.low() * (1 - margin)),
                reserved.high() > Long.MAX_VALUE / 2 ? reserved.high() : Math.round(reserved.high() * (1 + margin)));
    }

    /** Percent that a further run keeps within with a probability, given those of earlier ones. */
    static double margin(double[] percents, double level) {
        double[] sizes = Arrays.stream(percents).map(Math::abs).sorted().toArray();
        return Residuals.margin(sizes, level);
    }

    /** Percents of the runs, one a run. */
    double[] percents() {
        return percents.clone();
    }
}
