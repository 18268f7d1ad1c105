package dev.headroom.model.adapter;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.List;

/** What peft's model around a model runs itself, before and after the model (peft, peft_model.py). */
public final class OuterModel {
    private static final String PATH = "base_model";
    private static final String LENGTHENED = "_with_prompt";

    private OuterModel() {}

    /** A call of it, of one of its classes. */
    public static Node.ModuleCall call(String name, String type) {
        return new Node.ModuleCall(name, PATH, type);
    }

    /** What it runs once the model has returned. */
    public static List<Node> after(Graph graph) {
        List<Node> nodes = graph.nodes();
        int end = nodes.size();
        while (end > 0 && is(nodes.get(end - 1))) {
            end--;
        }
        return nodes.subList(end, nodes.size());
    }

    private static boolean is(Node node) {
        return !node.moduleStack().isEmpty() && node.moduleStack().get(0).path().equals(PATH);
    }

    /** The name of an input with what stands for the trained tokens before it. */
    public static String lengthened(String input) {
        return input + LENGTHENED;
    }

    /** The labels that the model is given: its user's, or those with what stands for the trained tokens before them. */
    public static String labels(Graph graph, String input) {
        String longer = lengthened(input);
        return graph.nodes().stream().anyMatch(n -> n.outputs().contains(longer)) ? longer : input;
    }
}
