package dev.headroom.estimator.certainty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The margin of compiled estimates holds for runs that it was not learned on. */
class CompiledSpreadTest {
    @Test
    void marginLearnedOnOtherRunsHoldsMostOfTheTime() {
        double[] all = CompiledSpread.percents();
        long held = IntStream.range(0, all.length)
                .filter(left -> {
                    double[] others = IntStream.range(0, all.length)
                            .filter(i -> i != left)
                            .mapToDouble(i -> all[i])
                            .toArray();
                    return Math.abs(all[left]) <= CompiledSpread.margin(others, Certainty.LEVEL);
                })
                .count();
        assertTrue(held >= 0.85 * all.length, () -> held + " of " + all.length);
    }

    @Test
    void spanGrowsByTheMarginOnBothSides() {
        double margin = CompiledSpread.margin(CompiledSpread.percents(), Certainty.LEVEL);
        Span span = CompiledSpread.widened(new Span(1000, 2000));
        assertTrue(DoubleStream.of(span.low() - 1000 * (1 - margin / 100), span.high() - 2000 * (1 + margin / 100))
                .allMatch(d -> Math.abs(d) <= 0.5));
    }
}
