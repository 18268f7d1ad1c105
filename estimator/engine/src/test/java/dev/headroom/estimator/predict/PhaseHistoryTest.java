package dev.headroom.estimator.predict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import java.util.List;
import org.junit.jupiter.api.Test;

class PhaseHistoryTest {
    private static PhaseMemory phase(Phase phase, Integer step, long most) {
        return new PhaseMemory(new Moment(phase, step, null), most, most, most, most);
    }

    private final PhaseHistory history = new PhaseHistory(
            List.of(
                    phase(Phase.MODEL, null, 5),
                    phase(Phase.FORWARD, 0, 20),
                    phase(Phase.BACKWARD, 0, 30),
                    phase(Phase.FORWARD, 1, 30)),
            List.of(10, 40, 90, 100));

    @Test
    void phasesBeginWhereTheOnesBeforeThemEnd() {
        assertEquals(0, history.start(0));
        assertEquals(10, history.start(1));
        assertEquals(40, history.end(1));
        assertEquals(40, history.start(2));
        assertEquals(100, history.end(3));
    }

    @Test
    void thePeakIsWhereItWasFirstReached() {
        assertEquals(Phase.BACKWARD, history.ofPeak().phase());
    }

    @Test
    void theFirstForwardPassIsFound() {
        assertEquals(40, history.firstForwardEnd());
        assertEquals(0, new PhaseHistory(List.of(phase(Phase.MODEL, null, 5)), List.of(10)).firstForwardEnd());
    }
}
