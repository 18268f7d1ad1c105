package dev.headroom.estimator.parallel.zero.sharded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the third stage prints, and how far its host runs ahead. */
class PrintedTensorsTest extends OnRuntime {
    /** What PyTorch 2.14.1 allocated (bytes) and freed (minus the number of the allocation) for {@code repr(t)}. */
    @ParameterizedTest
    @CsvSource({
        "4, '16 4 4 4 -3 -2 -1 4 4 -4 -5 4 1 -8 1023 -9 -7 -6'",
        "1000, '4000 1000 1000 1000 -3 -2 -1 1000 1000 -4 -5 4 1 -8 1023 -9 -7 -6'",
        "1001, '24 24 6 6 6 -4 -3 -2 6 6 -5 -6 4 1 -9 1023 -10 -8 -7 -1'",
        "40 50, '24 24 24 24 24 24 144 -6 -5 -4 -3 -2 -1 144 36 36 36 -10 -9 -8 36 36 -11 -12 4 1 -15 1023 -16 -14 -13 -7'",
        "3 400, '24 24 24 72 -3 -2 -1 72 18 18 18 -7 -6 -5 18 18 -8 -9 4 1 -12 1023 -13 -11 -10 -4'",
        "2 3 400, '24 24 24 72 -3 -2 -1 24 24 24 72 -7 -6 -5 144 -8 -4 144 36 36 36 -12 -11 -10 36 36 -13 -14 4 1 -17 1023"
                + " -18 -16 -15 -9'",
        "0, ''"
    })
    void allocatesAsRepr(String sizes, String expected) {
        Tensor t = rt.empty(
                DType.FLOAT32,
                Arrays.stream(sizes.split(" ")).mapToLong(Long::parseLong).toArray());
        EventLog log = rt.devices().memory(0).log();
        int from = log.size();
        new PrintedTensors(rt).print(t);
        List<Integer> made = new ArrayList<>();
        List<String> out = new ArrayList<>();
        for (int e = from; e < log.size(); e++) {
            int s = log.storage(e);
            if (log.isFree(e)) {
                out.add("-" + (made.indexOf(s) + 1));
            } else if (!made.contains(s)) {
                made.add(s);
                out.add("" + log.requested(s));
            }
        }
        assertEquals(expected, String.join(" ", out));
    }

    /** deepspeed/runtime/zero/partitioned_param_coordinator.py: with more than two fetches on their way, the oldest. */
    @Test
    void theHostWaitsForTheOldestOfThree() {
        rt.allocator().deviceLags();
        OngoingEvents events = new OngoingEvents(rt.streams());
        long first = rt.streams().mark();
        events.add();
        long second = rt.streams().mark();
        events.add();
        events.limit();
        assertFalse(rt.streams().isOver(first), "two may be on their way");
        events.add();
        events.limit();
        assertTrue(rt.streams().isOver(first));
        assertFalse(rt.streams().isOver(second));
        events.add();
        events.limit();
        assertTrue(rt.streams().isOver(second));
    }

    /** Nothing is waited for where the device has come that far by itself. */
    @Test
    void whatIsOverDoesNotCount() {
        rt.allocator().deviceLags();
        OngoingEvents events = new OngoingEvents(rt.streams());
        for (int i = 0; i < 3; i++) {
            events.add();
        }
        rt.streams().hostWaits();
        long later = rt.streams().mark();
        events.add();
        events.limit();
        assertFalse(rt.streams().isOver(later));
    }
}
