package dev.headroom.estimator.predict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;

class RankMemoryTest {
    private static String words(Integer... ranks) {
        return new RankMemory(List.of(ranks), new Prediction.Peak(0, 0, 0, Moment.of(Phase.MODEL)), List.of()).words();
    }

    @Test
    void ranksInARowAreARange() {
        assertEquals("0", words(0));
        assertEquals("0-1", words(0, 1));
        assertEquals("0,2-4,7", words(0, 2, 3, 4, 7));
    }
}
