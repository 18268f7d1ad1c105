package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.headroom.model.graph.Graph;
import org.junit.jupiter.api.Test;

/** {@code _in_projection_packed} of torch/nn/functional.py, with one object for query, key and value and with three. */
class UnpackedAttentionTest {
    private static final String MODULE = "torch.nn.modules.activation.MultiheadAttention";

    private static WrittenGraph packed(WrittenGraph graph, String input, Object... bias) {
        Object[] arguments = new Object[4 + bias.length];
        System.arraycopy(new Object[] {"input", input, "weight", "w"}, 0, arguments, 0, 4);
        System.arraycopy(bias, 0, arguments, 4, bias.length);
        return graph.call("aten.linear.default", "p", arguments)
                .call("aten.unflatten.int", "u", "self", "p")
                .call("aten.unsqueeze.default", "s", "self", "u")
                .call("aten.transpose.int", "t", "self", "s")
                .call("aten.squeeze.dim", "z", "self", "t")
                .call("aten.contiguous.default", "c", "self", "z")
                .call("aten.select.int", "q", "self", "c")
                .call("aten.select.int", "k", "self", "c")
                .call("aten.select.int", "v", "self", "c");
    }

    private static String unpacked(WrittenGraph graph) {
        return WrittenGraph.text(UnpackedAttention.of(graph.graph()));
    }

    @Test
    void eachIsProjectedWithAThirdOfWeightAndBias() {
        WrittenGraph graph = packed(new WrittenGraph().in(MODULE), "x", "bias", "b")
                .call("aten.matmul.default", "y", "self", "q", "other", "k");
        assertEquals("""
                p_weight0 p_weight1 p_weight2 = chunk w
                p_bias0 p_bias1 p_bias2 = chunk b
                q = linear x p_weight0 p_bias0
                k = linear x p_weight1 p_bias1
                v = linear x p_weight2 p_bias2
                y = matmul q k""", unpacked(graph));
    }

    @Test
    void anArgumentThatIsNoTensorStays() {
        assertEquals("""
                p_weight0 p_weight1 p_weight2 = chunk w
                q = linear x p_weight0
                k = linear x p_weight1
                v = linear x p_weight2""", unpacked(packed(new WrittenGraph().in(MODULE), "x", "bias", 0)));
    }

    @Test
    void batchesThatAreTurnedAreTurnedEach() {
        WrittenGraph graph = new WrittenGraph().in(MODULE).call("aten.transpose.int", "x", "self", "a");
        assertEquals("""
                x = transpose a
                x_argument1 = transpose a
                x_argument2 = transpose a
                p_weight0 p_weight1 p_weight2 = chunk w
                q = linear x p_weight0
                k = linear x_argument1 p_weight1
                v = linear x_argument2 p_weight2""", unpacked(packed(graph, "x")));
        WrittenGraph other = new WrittenGraph().in(MODULE).call("aten.transpose.int", "other", "self", "a");
        assertEquals("""
                other = transpose a
                p_weight0 p_weight1 p_weight2 = chunk w
                q = linear x p_weight0
                k = linear x p_weight1
                v = linear x p_weight2""", unpacked(packed(other, "x")));
    }

    @Test
    void otherModulesAndOtherCallsStay() {
        Graph other = packed(new WrittenGraph().in("my.Attention"), "x").graph();
        assertSame(other, UnpackedAttention.of(other));
        Graph shorter = new WrittenGraph()
                .in(MODULE)
                .call("aten.linear.default", "p", "input", "x", "weight", "w")
                .graph();
        assertSame(shorter, UnpackedAttention.of(shorter));
    }
}
