package dev.headroom.estimator.compile.rule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.compile.trace.Joint;
import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Tape;
import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.scenario.Scenario.Attention;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which kernel attention is traced to, and how tensors of a trace lie. */
class AttentionKernelTest {
    private final Joint joint = new Joint();

    private Traced tensor(DType type, long... sizes) {
        return Traced.constant(joint.placeholder(Kind.INPUT, "x", type, sizes, Shapes.contiguous(sizes)));
    }

    private static AttentionKernel of(int major, Attention allowed, Traced q, Traced mask, double dropout) {
        return new AttentionKernel.Choice(major, allowed).of(q, q, q, mask, false, dropout, false);
    }

    @ParameterizedTest
    @CsvSource({
        "9, AUTO, BFLOAT16, 64, 0, CUDNN",
        "10, AUTO, FLOAT16, 256, 0.125, CUDNN",
        "8, AUTO, FLOAT16, 64, 0, FLASH",
        "9, AUTO, BFLOAT16, 64, 0.1, FLASH",
        "9, AUTO, BFLOAT16, 256, 0, CUDNN",
        "9, AUTO, BFLOAT16, 264, 0, EFFICIENT",
        "9, AUTO, BFLOAT16, 60, 0, FLASH",
        "8, EFFICIENT, FLOAT16, 60, 0, MATH",
        "9, FLASH, BFLOAT16, 64, 0, FLASH",
        "9, EFFICIENT, BFLOAT16, 64, 0, EFFICIENT",
        "9, MATH, BFLOAT16, 64, 0, MATH",
        "7, AUTO, FLOAT16, 64, 0, EFFICIENT",
        "9, AUTO, FLOAT32, 64, 0, EFFICIENT",
        "9, AUTO, FLOAT32, 60, 0, EFFICIENT",
        "9, AUTO, FLOAT32, 62, 0, MATH"
    })
    void theCardAndTheTypeDecide(
            int major, Attention allowed, DType type, long features, double dropout, AttentionKernel kernel) {
        assertEquals(kernel, of(major, allowed, tensor(type, 2, 4, 8, features), null, dropout));
    }

    @Test
    void aMaskIsNotForFlashAttention() {
        Traced q = tensor(DType.FLOAT16, 2, 4, 8, 64);
        Traced mask = tensor(DType.FLOAT16, 2, 1, 8, 8);
        assertEquals(AttentionKernel.EFFICIENT, of(8, Attention.AUTO, q, mask, 0));
        assertEquals(AttentionKernel.CUDNN, of(9, Attention.AUTO, q, mask, 0));
        Value turned = joint.transpose(mask.value(), 2, 3);
        assertEquals(AttentionKernel.MATH, of(8, Attention.AUTO, q, Traced.constant(turned), 0));
    }

    /** The logarithms of sums that backward reads: a row each, which the efficient kernel pads to 32. */
    @ParameterizedTest
    @CsvSource({"FLASH, FLOAT16, 40", "EFFICIENT, FLOAT16, 64", "EFFICIENT, FLOAT32, 64", "CUDNN, BFLOAT16, 40"})
    void backwardReadsASumARow(Attention allowed, DType type, long rows) {
        Traced q = tensor(type, 2, 4, 40, 64);
        Node call = new Node(
                "a",
                "aten.scaled_dot_product_attention.default",
                Stream.of("query", "key", "value")
                        .map(name -> new Node.NamedArgument(name, new Argument.Value("x")))
                        .toList(),
                List.of("y"),
                List.of(),
                "");
        Rule rule = new Rules(9, allowed).all().get(call.operator());
        rule.trace(new Ops(joint, new Tape(joint)), new Site(call, Map.of("x", q), Map.of()));
        List<Value> sums = joint.nodes().stream()
                .filter(v -> v.kind() == Kind.ITEM && v.dtype() == DType.FLOAT32 && v.dim() == 3)
                .toList();
        assertEquals(1, sums.size());
        assertArrayEquals(new long[] {2, 4, rows}, sums.get(0).sizes());
    }

    @Test
    void headsAndTypesMustFit() {
        Traced q = tensor(DType.FLOAT16, 2, 4, 8, 64);
        Traced shared = tensor(DType.FLOAT16, 2, 2, 8, 64);
        Traced longer = tensor(DType.FLOAT16, 2, 4, 9, 64);
        Traced wide = tensor(DType.FLOAT32, 2, 4, 8, 64);
        AttentionKernel.Choice choice = new AttentionKernel.Choice(8, Attention.AUTO);
        assertEquals(AttentionKernel.MATH, choice.of(q, shared, shared, null, false, 0, false));
        assertEquals(AttentionKernel.FLASH, choice.of(q, shared, shared, null, false, 0, true));
        assertEquals(AttentionKernel.EFFICIENT, choice.of(q, longer, longer, null, true, 0, false));
        assertEquals(AttentionKernel.FLASH, choice.of(q, longer, longer, null, false, 0, false));
        assertEquals(AttentionKernel.MATH, choice.of(q, wide, wide, null, false, 0, false));
    }

    @Test
    void operatorsHaveTheirNamesInATen() {
        assertEquals("aten._scaled_dot_product_flash_attention", AttentionKernel.FLASH.forward());
        assertEquals("aten._scaled_dot_product_cudnn_attention_backward", AttentionKernel.CUDNN.backward());
    }

    @Test
    void elementwiseResultsLieAsTheirOperandsDo() {
        Value rows = tensor(DType.FLOAT32, 4, 6).value();
        Value columns = joint.transpose(tensor(DType.FLOAT32, 6, 4).value(), 0, 1);
        assertArrayEquals(
                new long[] {6, 1},
                joint.pointwise("aten.neg", "", DType.FLOAT32, rows).strides());
        assertArrayEquals(
                new long[] {1, 4},
                joint.pointwise("aten.mul", "", DType.FLOAT32, columns, columns).strides());
        assertArrayEquals(
                new long[] {6, 1},
                joint.pointwise("aten.mul", "", DType.FLOAT32, rows, columns).strides());
        assertArrayEquals(
                new long[] {1, 4},
                joint.pointwise("aten.mul", "", DType.FLOAT32, columns, rows).strides());
    }

    @Test
    void someNodesTakeNoStorage() {
        List<Kind> none =
                Arrays.stream(Kind.values()).filter(k -> !k.computes()).toList();
        assertTrue(none.contains(Kind.INPUT) && none.contains(Kind.ITEM), none.toString());
        assertFalse(none.contains(Kind.POINTWISE) || none.contains(Kind.LIBRARY), none.toString());
    }
}
