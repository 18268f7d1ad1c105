package dev.headroom.estimator.compile.rule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import org.junit.jupiter.api.Test;

/** What {@code cat} joins: a cache begins as a tensor of the shape (0). */
class JoinedPartsTest {
    private final Joint joint = new Joint();

    private Traced tensor(long... sizes) {
        return Traced.constant(joint.placeholder(Kind.INPUT, "x", DType.FLOAT32, sizes, Shapes.contiguous(sizes)));
    }

    @Test
    void whatHasNothingInTheDimensionIsPassedOver() {
        Traced keys = tensor(2, 4, 24, 16);
        Traced more = tensor(2, 4, 1, 16);
        assertArrayEquals(new Traced[] {keys}, ViewRules.withoutNothing(new Traced[] {tensor(0), keys}, -2));
        assertArrayEquals(
                new Traced[] {keys, more}, ViewRules.withoutNothing(new Traced[] {keys, tensor(2, 4, 0, 16), more}, 2));
    }

    @Test
    void nothingAloneIsJoined() {
        Traced[] nothing = {tensor(0), tensor(0)};
        assertArrayEquals(nothing, ViewRules.withoutNothing(nothing, 0));
    }
}
