package dev.headroom.validation.scores;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ScoresOfNumbersTest {
    @Test
    void aDistributionOfAnEvenNumber() {
        Distribution d = Distribution.of(4, 1, 3, 2);
        assertEquals(new Distribution(4, 2.5, 2.5, 4, 4), d);
    }

    @Test
    void nineOfTenAreNoLarger() {
        Distribution d =
                Distribution.of(DoubleStream.iterate(10, x -> x - 1).limit(10).toArray());
        assertEquals(9, d.ninety());
        assertEquals(5.5, d.median());
        assertEquals(10, d.worst());
    }

    @Test
    void nothingIsNotZero() {
        Distribution d = Distribution.of();
        assertEquals(0, d.count());
        assertTrue(Double.isNaN(d.median()) && Double.isNaN(d.worst()));
        assertTrue(Double.isNaN(Verdicts.of(List.of()).brier()));
    }

    @Test
    void verdictsAreCountedByKind() {
        Verdicts v = Verdicts.of(List.of(
                new Verdicts.Verdict(false, false, 0.1),
                new Verdicts.Verdict(true, false, 0.4),
                new Verdicts.Verdict(false, true, null),
                new Verdicts.Verdict(true, true, 0.8)));
        assertEquals(List.of(1, 1, 1, 1), List.of(v.fits(), v.missed(), v.alarms(), v.caught()));
        assertEquals(2, v.right());
        assertEquals(2, v.wrong());
        assertEquals((0.01 + 0.36 + 1 + 0.04) / 4, v.brier(), 1e-12);
    }

    @Test
    void bytesAreScoredWhereThereAreSome() {
        EstimatorScore score = EstimatorScore.of(
                "other",
                List.of(
                        new Answer(new Peak(Quantity.RESERVED, 110, 100), new Verdicts.Verdict(false, false, null)),
                        new Answer(null, new Verdicts.Verdict(true, false, null))));
        assertEquals(1, score.compared());
        assertEquals(0.1, score.median(), 1e-12);
        assertEquals(1, score.verdicts().missed());
    }

    @Test
    void anErrorOfNothingMeasuredIsWhole() {
        assertEquals(0, new Peak(Quantity.DEVICE, 0, 0).size());
        assertEquals(1, new Peak(Quantity.DEVICE, 5, 0).size());
        assertEquals(-0.5, new Peak(Quantity.DEVICE, 5, 10).error());
    }
}
