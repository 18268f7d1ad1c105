package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import org.junit.jupiter.api.Test;

/** Where {@code torch.tensor([…])} is: on the device if its line says so, or if it meets what is there. */
class LiteralTensorsTest {
    private static final String COPIED = "aten.lift_fresh_copy.default";
    private static final String KEPT = "aten.detach_.default";

    private static WrittenGraph literal(long... sizes) {
        return new WrittenGraph()
                .input(Graph.InputKind.CONSTANT, "c", DType.FLOAT32, sizes)
                .input(Graph.InputKind.CONSTANT, "d", DType.FLOAT32, 2)
                .input(Graph.InputKind.USER, "x", DType.FLOAT32, 2)
                .line("t = torch.tensor([1.0, 2.0])")
                .call(KEPT, "t", "self", "c");
    }

    private static String made(WrittenGraph graph) {
        return LiteralTensors.copied(graph.graph()).nodes().get(0).target();
    }

    @Test
    void aLineMaySayThatItIsOnTheDevice() {
        WrittenGraph said = new WrittenGraph()
                .input(Graph.InputKind.CONSTANT, "c", DType.FLOAT32, 2)
                .line("t = torch.tensor([1.0, 2.0], device=x.device)")
                .call(KEPT, "t", "self", "c");
        assertEquals(COPIED, made(said));
        said.call("aten.to.device", "u", "self", "t");
        assertEquals(KEPT, made(said), "it is brought there later");
    }

    @Test
    void itMeetsWhatIsOnTheDevice() {
        assertEquals(KEPT, made(literal(2)));
        assertEquals(COPIED, made(literal(2).call("aten.mul.Tensor", "y", "self", "t", "other", "x")));
        assertEquals(KEPT, made(literal(2).call("aten.mul.Tensor", "y", "self", "t", "other", "d")));
    }

    @Test
    void numbersAndIndicesMayStayInHostMemory() {
        assertEquals(KEPT, made(literal().call("aten.mul.Tensor", "y", "self", "t", "other", "x")));
        assertEquals(KEPT, made(literal(2).call("aten.index.Tensor", "y", "self", "x", "indices", "t")));
        assertEquals(COPIED, made(literal().call("aten.broadcast_tensors.default", "y", "a", "t", "b", "x")));
    }

    @Test
    void otherGraphsStayAsTheyAre() {
        Graph without = new WrittenGraph()
                .input(Graph.InputKind.USER, "x", DType.FLOAT32, 2)
                .call(KEPT, "y", "self", "x")
                .graph();
        assertSame(without, LiteralTensors.copied(without), "x is no literal");
        Graph kept = literal(2).graph();
        assertSame(kept, LiteralTensors.copied(kept));
    }
}
