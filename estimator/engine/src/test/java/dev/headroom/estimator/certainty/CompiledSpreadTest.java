package dev.headroom.estimator.certainty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The margins of compiled runs hold for runs that they were not learned on. */
class CompiledSpreadTest {
    @ParameterizedTest
    @EnumSource
    void marginLearnedOnOtherRunsHoldsMostOfTheTime(CompiledSpread spread) {
        double[] all = spread.percents();
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

    @ParameterizedTest
    @EnumSource
    void spanGrowsByTheMarginOnBothSides(CompiledSpread spread) {
        double margin = CompiledSpread.margin(spread.percents(), Certainty.LEVEL);
        Span span = spread.widened(new Span(1000, 2000));
        assertTrue(DoubleStream.of(span.low() - 1000 * (1 - margin / 100), span.high() - 2000 * (1 + margin / 100))
                .allMatch(d -> Math.abs(d) <= 0.5));
    }
}
