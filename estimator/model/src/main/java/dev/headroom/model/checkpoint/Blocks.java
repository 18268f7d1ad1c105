package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The modules that scripts for several GPUs wrap one by one: the residual blocks of a ResNet, what the {@code features} of an
 * image classifier consist of, and else the elements of every {@code nn.ModuleList}, of nested ones the outermost.
 */
public final class Blocks {
    private final ModelState state;
    private final Set<String> called = new HashSet<>();
    private final Set<String> sequential = new HashSet<>();

    private Blocks(Graph graph) {
        state = graph.held();
        for (Node node : graph.nodes()) {
            for (Node.ModuleCall call : node.moduleStack()) {
                called.add(call.path());
                if (call.type().equals("torch.nn.modules.container.Sequential")) {
                    sequential.add(call.path());
                }
            }
        }
    }

    /** Their paths, in the order of the modules; none where a model has nothing of the kind. */
    public static List<String> of(Graph graph) {
        return new Blocks(graph).find();
    }

    private List<String> find() {
        if (state.modules().contains("layer4") && state.modules().contains("maxpool")) {
            List<String> out = new ArrayList<>();
            List.of("layer1", "layer2", "layer3", "layer4").forEach(stage -> out.addAll(children(stage)));
            return out;
        }
        if (sequential.contains("encoder.layers")) {
            return children("encoder.layers");
        }
        if (sequential.contains("features")) {
            return children("features").stream().filter(m -> parameters(m) > 2).toList();
        }
        if (sequential.contains("blocks")) {
            return children("blocks");
        }
        Set<String> out = new LinkedHashSet<>();
        for (String module : state.modules()) {
            List<String> elements = children(module);
            boolean inside = out.stream().anyMatch(b -> module.equals(b) || module.startsWith(b + "."));
            if (!inside && isList(module, elements)) {
                out.addAll(elements);
            }
        }
        return List.copyOf(out);
    }

    /** A list is never called itself; its elements have numbers for names. */
    private boolean isList(String module, List<String> elements) {
        return elements.size() > 1
                && !called.contains(module)
                && elements.stream()
                        .allMatch(e -> e.substring(e.lastIndexOf('.') + 1).matches("\\d{1,6}"));
    }

    private List<String> children(String module) {
        return state.modules().stream()
                .filter(m -> !m.isEmpty() && ModelState.owner(m).equals(module))
                .toList();
    }

    private long parameters(String module) {
        return state.tensors().entrySet().stream()
                .filter(e -> e.getValue().kind() == Graph.InputKind.PARAMETER)
                .filter(e -> e.getKey().startsWith(module + "."))
                .count();
    }
}
