package dev.headroom.model.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checkpoints that programs make, told by the lines of functions called {@code forward}. */
class ProgramCheckpointsTest {
    private static final String FILE = "File \"net.py\", line ";

    /** An operator that reads what the one before made. */
    private record Step(String line, String... modules) {}

    private static Graph graph(Step... steps) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < steps.length; i++) {
            List<Node.ModuleCall> stack = new ArrayList<>(List.of(new Node.ModuleCall("", "", "Net")));
            for (String module : steps[i].modules()) {
                stack.add(new Node.ModuleCall(module, module, "Block"));
            }
            String trace = FILE + "7, in forward\n    " + steps[i].line() + "\n";
            for (String module : steps[i].modules()) {
                trace += FILE + "99, in forward\n    return run(" + module.length() + ")\n";
            }
            String read = i == 0 ? "x" : "v" + (i - 1);
            nodes.add(new Node(
                    "v" + i,
                    "aten.relu.default",
                    List.of(new Node.NamedArgument("self", new Argument.Value(read))),
                    List.of("v" + i),
                    stack,
                    trace.strip()));
        }
        return new Graph(
                "net",
                List.of(new Graph.Input(Graph.InputKind.USER, "x", "", true)),
                nodes,
                List.of(new Graph.Output(Graph.OutputKind.USER, "v" + (steps.length - 1), "")),
                Map.of("x", TensorMeta.of(DType.FLOAT32, 4)),
                Map.of(),
                Map.of(),
                List.of());
    }

    private static List<String> regions(Graph graph) {
        return ProgramCheckpoints.plan(graph).regions().stream()
                .map(r -> r.from() + "-" + r.to())
                .toList();
    }

    @Test
    void linesWithoutOneGiveNothing() {
        Graph graph = graph(new Step("x = self.block(x)", "block"), new Step("return x.relu()"));
        assertEquals(List.of(), regions(graph));
        assertFalse(ProgramCheckpoints.in(graph));
    }

    @Test
    void eachModuleOfALoopIsOne() {
        String line = "x = checkpoint(block, x, use_reentrant=False)";
        Graph graph = graph(
                new Step("x = x.exp()"),
                new Step(line, "blocks.0"),
                new Step(line, "blocks.0"),
                new Step(line, "blocks.1"),
                new Step("return x.relu()"));
        assertEquals(List.of("1-3", "3-4"), regions(graph));
        assertFalse(ProgramCheckpoints.plan(graph).reentrant());
        assertTrue(ProgramCheckpoints.in(graph));
    }

    @Test
    void aFunctionIsOneWithTheModulesThatItCalls() {
        String line = "x = cp.checkpoint(self._forward, x, use_reentrant=False)";
        Graph graph = graph(
                new Step(line, "norm"), new Step(line), new Step(line, "fc"), new Step(line), new Step("return x"));
        assertEquals(List.of("0-4"), regions(graph));
    }

    @Test
    void argumentsAndWhatIsDoneWithTheResultAreOutside() {
        String line = "x = x + checkpoint(self.block, self.norm(x), use_reentrant=False).mul(2)";
        Graph graph = graph(
                new Step(line, "norm"),
                new Step(line, "block"),
                new Step(line, "block"),
                new Step(line),
                new Step(line));
        assertEquals(List.of("1-3"), regions(graph));
        String function = "x = x + checkpoint(self._forward, self.norm(x), use_reentrant=False).mul(2)";
        Graph other = graph(
                new Step(function, "norm"),
                new Step(function, "block"),
                new Step(function),
                new Step(function),
                new Step(function));
        assertEquals(List.of("1-3"), regions(other));
    }

    @Test
    void othersFunctionsOfThatNameAreNone() {
        Graph graph = graph(new Step("x = checkpoint(self._forward, (x,), self.parameters(), self.use_checkpoint)"));
        assertEquals(List.of(), regions(graph));
        assertEquals(List.of(), regions(graph(new Step("x = self.checkpoint(self.block, x)", "block"))));
    }

    @Test
    void aConditionMayHaveGoneEitherWay() {
        String line = "x = checkpoint(block, x, use_reentrant=False) if self.recompute else block(x)";
        assertEquals(List.of(), regions(graph(new Step(line, "blocks.0"), new Step(line, "blocks.1"))));
    }

    @Test
    void theLastSegmentOfAChainIsNone() {
        String line = "x = checkpoint_sequential(self.layers, 2, x, use_reentrant=False)";
        Step[] steps = Stream.of("layers.0", "layers.1", "layers.2", "layers.3")
                .map(layer -> new Step(line, layer))
                .toArray(Step[]::new);
        Graph graph = graph(steps);
        List<Node> nodes = graph.nodes().stream()
                .map(n -> n.withStackTrace(n.stackTrace()
                        .replace(
                                FILE + "99",
                                "File \"torch/utils/checkpoint.py\", line 3, in forward\n    input = functions[j](input)\n"
                                        + FILE + "99")))
                .toList();
        assertEquals(List.of("0-2"), regions(graph.withNodes(nodes)));
    }

    @Test
    void withoutAWordTheyAreReentrant() {
        assertTrue(ProgramCheckpoints.plan(graph(new Step("x = checkpoint(block, x)", "b.0")))
                .reentrant());
        assertTrue(ProgramCheckpoints.plan(graph(new Step("x = checkpoint(block, x, use_reentrant=True)", "b.0")))
                .reentrant());
        // The rest is on the lines that follow.
        assertFalse(ProgramCheckpoints.plan(graph(new Step("x = checkpoint(", "b.0")))
                .reentrant());
    }
}
