package dev.headroom.executor.program;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes graphs by hand. A call is {@code path:Type}, frames are {@code line text}. */
final class ProgramWriter {
    private final List<Node> nodes = new ArrayList<>();
    private final List<Node.ModuleCall> stack = new ArrayList<>();
    private final List<String> frames = new ArrayList<>();

    ProgramWriter enter(String path) {
        stack.add(new Node.ModuleCall(path, path.replaceAll("@\\d+$", ""), "Module"));
        frames.add("");
        return this;
    }

    /** A segment of a checkpointed chain, which leaves no line. */
    ProgramWriter segment(int number) {
        stack.add(new Node.ModuleCall("segment " + number, "", ""));
        frames.add("");
        return this;
    }

    /** A call that the model's modules do not have, of a container that a slice made. */
    ProgramWriter sliced(int number, String text) {
        frames.add("File \"torch/nn/modules/container.py\", line " + number + ", in forward\n    " + text + "\n");
        return this;
    }

    ProgramWriter endSlice() {
        frames.remove(frames.size() - 1);
        return this;
    }

    ProgramWriter leave() {
        stack.remove(stack.size() - 1);
        frames.remove(frames.size() - 1);
        return this;
    }

    ProgramWriter line(int number, String text) {
        frames.set(frames.size() - 1, "File \"m.py\", line " + number + ", in forward\n    " + text + "\n");
        return this;
    }

    /** An operator {@code results = target(reads)}. */
    ProgramWriter op(String results, String target, String... reads) {
        List<Node.NamedArgument> arguments = new ArrayList<>();
        for (String r : reads) {
            arguments.add(new Node.NamedArgument("", new Argument.Value(r)));
        }
        List<String> outputs = List.of(results.split(" "));
        nodes.add(new Node(outputs.get(0), target, arguments, outputs, List.copyOf(stack), String.join("", frames)));
        return this;
    }

    ValueLifetimes lifetimes(String output) {
        Graph graph = new Graph(
                "test",
                List.of(new Graph.Input(Graph.InputKind.USER, "x", "x", false)),
                nodes,
                List.of(new Graph.Output(Graph.OutputKind.USER, output, null)),
                Map.of(),
                Map.of(),
                Map.of(),
                List.of());
        return ValueLifetimes.of(graph);
    }
}
