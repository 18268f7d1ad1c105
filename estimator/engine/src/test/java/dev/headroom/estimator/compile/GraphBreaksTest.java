package dev.headroom.estimator.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where models are divided, and what types go around compiled blocks. */
class GraphBreaksTest {
    private static final String LOSS =
            "  File \"x.py\", line 1, in forward\n    loss = self.loss_function(logits, labels)\n";

    private static Node node(String target, String reads, String makes, String type, String inner, String trace) {
        List<Node.ModuleCall> stack = inner.isEmpty()
                ? List.of(new Node.ModuleCall("", "", type))
                : List.of(new Node.ModuleCall("", "", type), new Node.ModuleCall(inner, inner, "torch.nn.Module"));
        return new Node(
                makes,
                target,
                Arrays.stream(reads.split(" "))
                        .map(r -> new Node.NamedArgument(r, new Argument.Value(r)))
                        .toList(),
                Arrays.asList(makes),
                stack,
                trace);
    }

    private static Node of(String type, String trace) {
        return node("aten.relu.default", "a", "b", type, "", trace);
    }

    /** transformers/modeling_utils.py: only models whose class names no known loss warn, and a warning breaks the graph. */
    @Test
    void lossesThatTheLibraryDoesNotKnowBreakTheGraph() {
        String unknown = "transformers.models.gpt2.modeling_gpt2.GPT2LMHeadModel";
        Node before = of(unknown, "");
        Node loss = of(unknown, LOSS);
        assertEquals(
                List.of(List.of(before, before), List.of(loss, before)),
                GraphBreaks.parts(List.of(before, before, loss, before)));
        assertEquals(List.of(List.of(loss, before)), GraphBreaks.parts(List.of(loss, before)), "nothing is before it");
        for (String known :
                new String[] {"transformers.models.llama.modeling_llama.LlamaForCausalLM", "my.project.GPT2LMHeadModel"
                }) {
            List<Node> nodes = List.of(of(known, ""), of(known, LOSS));
            assertEquals(List.of(nodes), GraphBreaks.parts(nodes), known);
        }
        Node nowhere = new Node("n", "aten.relu.default", List.of(), List.of("n"), List.of(), LOSS);
        assertEquals(1, GraphBreaks.parts(List.of(before, nowhere)).size());
    }

    @Test
    void theLastHiddenStateIsTheInnerModels() {
        String type = "transformers.Model";
        List<Node> part = List.of(
                node("aten.relu.default", "a", "embedded", type, "", ""),
                node("aten.relu.default", "a", "first", type, "model", ""),
                node("aten.relu.default", "first", "hidden", type, "model", ""),
                node("aten.relu.default", "hidden", "scores", type, "head", ""),
                node("aten.relu.default", "scores", "loss", type, "", ""));
        assertEquals("hidden", GraphBreaks.hiddenState(part));
        assertNull(GraphBreaks.hiddenState(part.subList(0, 1)));
        assertEquals(Set.of("a", "first", "hidden", "scores"), GraphBreaks.reads(part));
        assertEquals(List.of("embedded", "first", "hidden", "scores", "loss"), GraphBreaks.makes(part));
        Node none = node("aten.relu.default", "a", "b", type, "model", "").withOutputs(Arrays.asList((String) null));
        assertEquals(List.of(), GraphBreaks.makes(List.of(none)));
        assertNull(GraphBreaks.hiddenState(List.of(none)));
    }

    /** What autocast makes of operands in two types (ATen/autocast_mode.h), and type promotion (c10/core/ScalarType.h). */
    @ParameterizedTest
    @CsvSource({
        "aten.linear.default, half full, BFLOAT16",
        "aten.mm.default, full full, BFLOAT16",
        "aten.layer_norm.default, half full, FLOAT32",
        "aten.softmax.int, half half, FLOAT32",
        "aten.relu.default, half, BFLOAT16",
        "aten.relu.default, full, FLOAT32",
        "aten.dot.default, half full, FLOAT32",
        "aten.dot.default, half half, BFLOAT16",
        "aten.add.Tensor, half full, FLOAT32",
        "aten.mul.Tensor, half half, BFLOAT16",
        "aten.cat.default, half full, FLOAT32",
        "aten.add.Tensor, count half, BFLOAT16",
        "aten.ones.default, count, FLOAT32"
    })
    void typesAroundBlocks(String target, String reads, DType expected) {
        Map<String, DType> types = Map.of("half", DType.BFLOAT16, "full", DType.FLOAT32, "count", DType.INT64);
        Node node = node(target, reads, "made", "Model", "", "");
        assertEquals(expected, EagerTypes.of(node, DType.BFLOAT16, DType.FLOAT32, types::get));
    }
}
