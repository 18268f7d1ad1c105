package dev.headroom.estimator.compile.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two checkpoints one behind the other: what is in them is computed again, what one hands to the other is kept. */
class CheckpointsTest {
    private final Joint joint = new Joint();
    private final Value given = joint.placeholder(Kind.INPUT, "x", DType.FLOAT32, new long[] {64}, new long[] {1});

    private Value function(Value of, String op) {
        return joint.make(Kind.LIBRARY, op, "", DType.FLOAT32, new long[] {64}, of);
    }

    @Test
    void onlyTheEndOfTheFirstIsKept() {
        joint.inRegion(1);
        Value first = function(given, "first");
        Value end = function(first, "end");
        joint.inRegion(2);
        Value second = function(end, "second");
        joint.inRegion(0);
        Value result = function(second, "result");
        Value tangent = joint.placeholder(Kind.TANGENT, "tangents_1", DType.FLOAT32, new long[] {64}, new long[] {1});
        Value gradient =
                joint.make(Kind.LIBRARY, "back", "", DType.FLOAT32, new long[] {64}, tangent, first, end, second);
        Program program = new Program(joint.nodes(), List.of(result), List.of(gradient));

        Checkpoints checkpoints = new Checkpoints(program, program.users());
        assertTrue(checkpoints.recomputes(first) && checkpoints.recomputes(second));
        assertTrue(checkpoints.saves(end));
        assertFalse(checkpoints.recomputes(end) || checkpoints.recomputes(result) || checkpoints.recomputes(given));

        List<String> kept =
                Partition.of(program, 1).kept().stream().map(Value::op).toList();
        assertEquals(List.of("x", "end"), kept);
    }
}
