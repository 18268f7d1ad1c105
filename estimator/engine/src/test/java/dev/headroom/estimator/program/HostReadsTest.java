package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.DType;
import org.junit.jupiter.api.Test;

/** A condition such as {@code if mask.all():} leaves a truth in the graph that nothing reads. */
class HostReadsTest {
    private static String reads(WrittenGraph graph) {
        return HostReads.of(graph.graph()).toString();
    }

    @Test
    void numbersAndSizesThatDependOnValuesAreRead() {
        assertEquals(
                "{0, 2}",
                reads(new WrittenGraph()
                        .call("aten.item.default", "n", "self", "x")
                        .call("aten.add.Tensor", "y", "self", "x", "other", "x")
                        .call("aten.nonzero.default", "z", "self", "y")));
    }

    @Test
    void aTruthThatNoOperatorReadsIsACondition() {
        assertEquals(
                "{0, 1}",
                reads(new WrittenGraph()
                        .value("same", DType.BOOL)
                        .value("many", DType.BOOL, 4)
                        .value("sum", DType.FLOAT32)
                        .call("aten.eq.Tensor", "same", "self", "x", "other", "y")
                        .call("aten.all.default", "whole", "self", "x")
                        .call("aten.gt.Scalar", "many", "self", "x")
                        .call("aten.sum.default", "sum", "self", "x")
                        .call("aten.gt.Scalar", "unknown", "self", "x")
                        .call("aten.max.dim", "a b", "self", "x")
                        .call("aten.gt.Scalar", "-", "self", "x")));
    }

    @Test
    void oneThatIsReadOrReturnedIsNone() {
        assertEquals(
                "{}",
                reads(new WrittenGraph()
                        .value("same", DType.BOOL)
                        .call("aten.eq.Tensor", "same", "self", "x", "other", "y")
                        .call("aten.any.default", "some", "self", "same")
                        .returns("some")));
    }
}
