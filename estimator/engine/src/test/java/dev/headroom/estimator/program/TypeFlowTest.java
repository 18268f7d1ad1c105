package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code c = x.to(torch.float32)} means in a run in bfloat16, by what becomes of {@code c}. */
class TypeFlowTest {
    private static TypeMeanings.Kind kind(WrittenGraph rest) {
        List<Node> nodes = rest.graph().nodes();
        Map<String, Integer> producer = new HashMap<>();
        Map<String, List<Node>> consumers = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            for (String out : nodes.get(i).outputs()) {
                producer.put(out, i);
            }
            for (String read : nodes.get(i).reads()) {
                consumers.computeIfAbsent(read, k -> new ArrayList<>()).add(nodes.get(i));
            }
        }
        return new TypeFlow(nodes, producer, consumers).hidden("c");
    }

    private static WrittenGraph converted() {
        return new WrittenGraph().call("aten.to.dtype", "c", "self", "x", "dtype", DType.FLOAT32);
    }

    @Test
    void withAModelsWeightItComesBackDown() {
        assertEquals(
                TypeMeanings.Kind.HIDDEN_LOW,
                kind(converted().call("aten.linear.default", "y", "input", "c", "weight", "w")));
        assertEquals(
                TypeMeanings.Kind.HIDDEN_LOW,
                kind(converted()
                        .call("aten.transpose.int", "t", "self", "c")
                        .call("aten.matmul.default", "y", "self", "q", "other", "t")));
    }

    @Test
    void withAnotherThatIsConvertedItGoesUp() {
        WrittenGraph both = converted().call("aten._to_copy.default", "d", "self", "x", "dtype", DType.FLOAT32);
        assertEquals(TypeMeanings.Kind.HIDDEN, kind(both.call("aten.matmul.default", "y", "self", "c", "other", "d")));
        WrittenGraph turned = converted()
                .call("aten.to.dtype", "d", "self", "x", "dtype", DType.FLOAT32)
                .call("aten.transpose.int", "t", "self", "d")
                .call("aten.view.default", "v", "self", "c")
                .call("aten.bmm.default", "y", "self", "v", "mat2", "t");
        assertEquals(TypeMeanings.Kind.HIDDEN, kind(turned));
    }

    @Test
    void arithmeticOnTheWayMakesItTheRuns() {
        assertEquals(
                TypeMeanings.Kind.HIDDEN_RUN,
                kind(converted()
                        .call("aten.mul.Tensor", "m", "self", "c", "other", "x")
                        .call("aten.linear.default", "y", "input", "m", "weight", "w")));
        assertEquals(TypeMeanings.Kind.HIDDEN, kind(converted().call("aten.sum.default", "y", "self", "c")));
        assertEquals(
                TypeMeanings.Kind.HIDDEN,
                kind(converted()
                        .call("aten.pow.Tensor_Scalar", "p", "self", "c")
                        .call("aten.linear.default", "y", "input", "p", "weight", "w")),
                "a function may give any type");
    }
}
