package dev.headroom.estimator.certainty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** Spans hold what they were made of; a risk is the mean of those at points spread evenly over its spans. */
class SpanLawsTest {
    private static final long MOST = 1L << 40;
    private static final Deviations SOME = new Deviations(new double[] {-2, -1, -0.5, 0, 0, 0.25, 0.5, 1, 1.5, 3});

    @Property
    void aSpanHoldsItsValues(
            @ForAll @LongRange(max = MOST) long a,
            @ForAll @LongRange(max = MOST) long b,
            @ForAll @LongRange(max = MOST) long c) {
        Span span = Span.between(a, b);
        assertEquals(span, Span.between(b, a));
        assertEquals(a + b, span.low() + span.high());
        assertEquals(Math.abs(a - b), span.high() - span.low());
        Span wider = span.with(c);
        long[] all = {a, b, c};
        assertEquals(LongStream.of(all).min().orElseThrow(), wider.low());
        assertEquals(LongStream.of(all).max().orElseThrow(), wider.high());
        Span cut = span.atMost(c);
        assertTrue(cut.high() <= c && cut.low() <= span.low());
        assertEquals(c >= span.high(), cut.equals(span));
        assertEquals(new Span(span.low() + 1, span.high() + 3), span.plus(1, 3));
    }

    @Property
    void theMiddleIsAsFarFromEitherEnd(@ForAll @LongRange(max = MOST) long a, @ForAll @LongRange(max = MOST) long b) {
        Span span = Span.between(a, b);
        long below = span.middle() - span.low();
        long above = span.high() - span.middle();
        assertTrue(above - below == 0 || above - below == 1, span + " " + span.middle());
    }

    @Example
    void endsOutOfOrderAreNoSpan() {
        assertEquals(new Span(5, 5), new Span(5, 5));
        assertThrows(IllegalArgumentException.class, () -> new Span(6, 5));
    }

    @Example
    void aRiskIsTheMeanOverItsSpans() {
        double[] rooms = DoubleStream.of(50, 150, 250, 350, 450, 550, 650, 750)
                .map(room -> SOME.exceeds(400, (long) room))
                .toArray();
        Risk risk = new Risk(new Span(400, 400), new Span(0, 800), null);
        assertEquals(DoubleStream.of(rooms).average().orElseThrow(), risk.probability(SOME), 1e-12);
        double[] needs = DoubleStream.of(1050, 1150, 1250, 1350, 1450, 1550, 1650, 1750)
                .map(bytes -> SOME.exceeds((long) bytes, 1400))
                .toArray();
        Risk other = new Risk(new Span(1000, 1800), new Span(1400, 1400), null);
        assertEquals(DoubleStream.of(needs).average().orElseThrow(), other.probability(SOME), 1e-12);
    }

    @Example
    void whatTheAllocatorMayReserveBoundsTheRoom() {
        Span needed = new Span(1000, 1000);
        double free = new Risk(needed, new Span(1200, 1200), null).probability(SOME);
        assertEquals(free, new Risk(needed, new Span(1200, 1200), 1300L).probability(SOME));
        assertEquals(SOME.exceeds(1000, 900), new Risk(needed, new Span(1200, 1200), 900L).probability(SOME));
        assertTrue(SOME.exceeds(1000, 900) > free);
    }
}
