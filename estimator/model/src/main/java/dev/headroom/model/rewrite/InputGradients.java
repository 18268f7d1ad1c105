package dev.headroom.model.rewrite;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.checkpoint.ModuleCalls;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code enable_input_require_grads()} of transformers: a hook makes the embedded tokens require a gradient, whatever
 * is frozen. {@code gradient_checkpointing_enable()} calls it, too (transformers, modeling_utils.py).
 */
public final class InputGradients {
    private static final String OPERATOR = "aten.requires_grad_";
    private static final String HOOKED = "_requires_grad";

    private static final Set<String> SAME_TOKENS = Set.of("aten.view", "aten.reshape", "aten.to", "aten.contiguous");

    /** Models whose tower does not say what its embeddings are, so that the library does not find them. */
    private static final List<String> UNNAMED =
            List.of("transformers.models.qwen3_vl.", "transformers.models.qwen3_vl_moe.");

    private InputGradients() {}

    /** The graph with a call of {@code requires_grad_} after each call of the input embeddings. */
    public static Graph enable(Graph graph, Scenario run) {
        boolean switched = run.checkpointing().segments() > 0
                && run.checkpointing().modules().isEmpty()
                && !run.loop().inference()
                && CheckpointPlan.hasSwitch(graph)
                && !CheckpointPlan.switchIsOutside(graph);
        boolean asked = run.model().inputGrads() && !run.loop().inference();
        return switched || asked ? require(graph) : graph;
    }

    /** The same whatever the run says; a graph that has such calls stays as it is. */
    public static Graph require(Graph graph) {
        if (graph.nodes().stream().anyMatch(InputGradients::isHook)) {
            return graph;
        }
        Set<Integer> ends = new HashSet<>();
        Set<String> modules = alike(graph, embeddings(graph));
        modules.add(patches(graph));
        for (String embeddings : modules) {
            if (!embeddings.isEmpty()) {
                ends(ModuleCalls.roots(graph), embeddings, ends);
            }
        }
        if (ends.isEmpty()) {
            return graph;
        }
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = graph.nodes().get(i);
            nodes.add(node);
            if (ends.contains(i)) {
                nodes.add(hook(node));
            }
        }
        return graph.withNodes(nodes);
    }

    /** The module that looks up the tokens that the user gives; "" where there is none. */
    private static String embeddings(Graph graph) {
        Set<String> tokens = new HashSet<>();
        for (Graph.Input in : graph.inputs()) {
            TensorMeta meta = graph.values().get(in.value());
            if (in.kind() == Graph.InputKind.USER && meta != null && meta.dtype() == DType.INT64) {
                tokens.add(in.value());
            }
        }
        String given = embeddings(graph, tokens, false);
        return given.isEmpty() ? embeddings(graph, tokens, true) : given;
    }

    /** @param made whether tokens are looked up that are made of the user's, as a decoder's of the labels are */
    private static String embeddings(Graph graph, Set<String> given, boolean made) {
        Set<String> tokens = new HashSet<>(given);
        for (Node n : graph.nodes()) {
            if (n.reads().stream().anyMatch(tokens::contains)) {
                if (n.operator().equals("aten.embedding")) {
                    return n.module();
                }
                if (made || SAME_TOKENS.contains(n.operator())) {
                    tokens.addAll(n.outputs());
                }
            }
        }
        return "";
    }

    /** All modules that look rows of one weight up, such as those of an encoder and its decoder. */
    private static Set<String> alike(Graph graph, String module) {
        Set<String> out = new LinkedHashSet<>();
        Set<@Nullable String> weights = new HashSet<>();
        for (Node n : graph.nodes()) {
            if (n.operator().equals("aten.embedding")
                    && (n.module().equals(module) || weights.contains(n.tensor("weight")))) {
                weights.add(n.tensor("weight"));
                out.add(n.module());
            }
        }
        return out;
    }

    /**
     * The module that turns the user's image into patches, of a model that sees, or sound into frames, of one that
     * hears (models/whisper/modeling_whisper.py, WhisperEncoder.get_input_embeddings); "" where there is none. It is
     * the convolution of whole images, and the module around what cuts them up otherwise.
     */
    private static String patches(Graph graph) {
        Set<String> images = new HashSet<>();
        for (Graph.Input in : graph.inputs()) {
            TensorMeta meta = graph.values().get(in.value());
            if (in.kind() == Graph.InputKind.USER
                    && meta != null
                    && meta.dtype().isFloatingPoint()) {
                images.add(in.value());
            }
        }
        for (Node n : graph.nodes()) {
            if (n.reads().stream().anyMatch(images::contains)) {
                switch (n.operator()) {
                    case "aten.conv1d", "aten.conv2d" -> {
                        return n.module();
                    }
                    case "aten.conv3d", "aten.im2col" -> {
                        if (UNNAMED.stream().anyMatch(typeOf(n)::startsWith)) {
                            return "";
                        }
                        return n.module().substring(0, n.module().lastIndexOf('.'));
                    }
                    default -> {
                        if (SAME_TOKENS.contains(n.operator())) {
                            images.addAll(n.outputs());
                        }
                    }
                }
            }
        }
        return "";
    }

    /** The class of the module around an operator's own. */
    private static String typeOf(Node n) {
        return n.moduleStack().get(Math.max(0, n.moduleStack().size() - 2)).type();
    }

    private static void ends(List<ModuleCalls.Call> calls, String path, Set<Integer> ends) {
        for (ModuleCalls.Call call : calls) {
            if (call.path().equals(path)) {
                ends.add(call.to() - 1);
            } else {
                ends(call.children(), path, ends);
            }
        }
    }

    private static boolean isHook(Node n) {
        return n.operator().equals(OPERATOR) && n.name().endsWith(HOOKED);
    }

    /** It runs in the caller of the module. */
    private static Node hook(Node last) {
        List<Node.ModuleCall> stack = last.moduleStack();
        String out = last.outputs().get(0);
        int frame = last.stackTrace().lastIndexOf("File \"");
        return new Node(
                out + HOOKED,
                OPERATOR + ".default",
                List.of(new Node.NamedArgument("self", new Argument.Value(out))),
                List.of(out + HOOKED),
                stack.subList(0, stack.size() - 1),
                frame < 0 ? "" : last.stackTrace().substring(0, frame).stripTrailing());
    }
}
