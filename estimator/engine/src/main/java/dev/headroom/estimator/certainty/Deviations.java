package dev.headroom.estimator.certainty;

import dev.headroom.allocator.Bytes;
import dev.headroom.model.units.Mib;
import java.util.Arrays;
import org.apache.commons.math3.distribution.CauchyDistribution;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.stat.descriptive.moment.StandardDeviation;

/**
 * How far measurements on real GPUs lay outside of the spans that were predicted for them: the calibration of intervals
 * and probabilities. Spans are widened as split conformal prediction does (Lei et al., 2018, applied to the distance
 * from a span as in conformalized quantile regression, Romano et al., 2019). A deviation is in units of {@code sqrt(m)}
 * MiB, where m is the middle of the span in MiB: what many layers contribute, each a little wrong, adds up like a
 * square root. It is positive where more was measured than the upper end, 0 within the span.
 */
public final class Deviations {
    private static final String RESOURCE = "deviations.csv";
    /** Silverman's rule of thumb for the width of kernels. */
    private static final double SILVERMAN = 0.9;

    /** Distance between the quartiles of a standard normal distribution. */
    private static final double NORMAL_QUARTILES = 1.349;

    /**
     * Half of what was not seen lies beyond this quantile of what was: Cauchy's distribution has its quartiles there.
     */
    private static final double TAIL_LEVEL = 0.9;

    /** So many standard deviations away, a normal distribution is 0 or 1 but for what a double cannot tell. */
    private static final double CERTAIN = 9;

    private final double[] sorted;
    private final double[] sizes;
    private final NormalDistribution kernel;
    private final CauchyDistribution unseen;

    /** @param deviations at least two, not all the same */
    public Deviations(double[] deviations) {
        sorted = deviations.clone();
        Arrays.sort(sorted);
        sizes = Arrays.stream(sorted).map(Math::abs).sorted().toArray();
        kernel = new NormalDistribution(null, 0, bandwidth(sorted));
        unseen = new CauchyDistribution(null, 0, margin(TAIL_LEVEL));
    }

    /** Those of the published runs, from the resource {@code deviations.csv}. */
    public static Deviations published() {
        return Published.ALL;
    }

    /** The deviation of a measurement from a span. */
    public static double of(Span span, long measured) {
        long outside = measured > span.high() ? measured - span.high() : Math.min(0, measured - span.low());
        return outside / unit(span);
    }

    /** The unit of deviations from a span, in bytes. */
    private static double unit(Span span) {
        return Math.sqrt(Mib.of(span.middle())) * Bytes.MIB;
    }

    private static double bandwidth(double[] sorted) {
        int n = sorted.length;
        double quartiles = sorted[3 * n / 4] - sorted[n / 4];
        double spread = new StandardDeviation().evaluate(sorted);
        double width = quartiles > 0 ? Math.min(spread, quartiles / NORMAL_QUARTILES) : spread;
        return SILVERMAN * width * Math.pow(n, -0.2);
    }

    /** How many there are. */
    public int count() {
        return sorted.length;
    }

    /**
     * The deviation, of either sign, that a further measurement keeps within with a probability: the
     * {@code ceil((n + 1) level)}-th smallest, or the largest where there are too few for the level.
     */
    public double margin(double level) {
        return Residuals.margin(sizes, level);
    }

    /** The span widened so that it holds a measurement with a probability; never below 0. */
    public Interval interval(Span span, double level) {
        long margin = Math.round(margin(level) * unit(span));
        return new Interval(level, Math.max(0, span.low() - margin), span.high() + margin);
    }

    /**
     * The probability that a predicted number of bytes is really above a bound: the conformal predictive distribution
     * (n + 1 equally likely cases, of which n were seen), each case smoothed by a normal kernel. The case that was not
     * seen has the tails of Cauchy's distribution: nothing is known of it but that such things happen.
     */
    public double exceeds(long predicted, long bound) {
        double z = (bound - predicted) / (Math.sqrt(Mib.of(Math.max(predicted, 1))) * Bytes.MIB);
        double sum = 1 - unseen.cumulativeProbability(z);
        double near = CERTAIN * kernel.getStandardDeviation();
        for (double d : sorted) {
            if (Math.abs(d - z) < near) {
                sum += kernel.cumulativeProbability(d - z);
            } else {
                sum += d < z ? 0 : 1;
            }
        }
        return sum / (sorted.length + 1);
    }

    /** Read when a prediction first asks how sure it is. */
    private static final class Published {
        static final Deviations ALL = new Deviations(Residuals.read(RESOURCE));
    }
}
