package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.BodyCall;
import dev.headroom.model.graph.CustomFunctionNode;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds graphs that no program could run: values used before they exist, defined twice, or not described; and names
 * that would do something to the terminal they are printed on.
 */
final class GraphCheck {
    private GraphCheck() {}

    /** @throws UserInputException naming the value and the node */
    static void check(Graph graph) {
        Set<String> defined = new HashSet<>();
        for (Graph.Input input : graph.inputs()) {
            printable(input.qualifiedName());
            if (input.value() != null) {
                define(graph, defined, input.value(), "the inputs");
            }
        }
        Set<String> modules = new HashSet<>();
        for (Node node : graph.nodes()) {
            printable(node.name());
            printable(node.target());
            for (Node.ModuleCall call : node.moduleStack()) {
                if (modules.add(call.path())) {
                    printable(call.path());
                }
            }
            if (CustomFunctionNode.isOne(node)) {
                CustomFunctionNode.of(node);
            } else {
                fits(node);
            }
            for (Node.NamedArgument argument : node.arguments()) {
                use(defined, argument.value(), node);
            }
            for (String output : node.outputs()) {
                if (output != null) {
                    define(graph, defined, output, "node " + node.name());
                }
            }
        }
        for (Graph.Output output : graph.outputs()) {
            if (output.value() != null && !defined.contains(output.value())) {
                throw new UserInputException("the output " + output.value() + " is computed by no node");
            }
        }
    }

    private static void printable(String name) {
        for (int i = 0; name != null && i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                throw new UserInputException("the name '" + name
                        + "' holds a control character; name the module or tensor otherwise and export again");
            }
        }
    }

    private static void define(Graph graph, Set<String> defined, String value, String where) {
        if (!defined.add(value)) {
            throw new UserInputException("the value " + value + " of " + where + " is defined twice");
        }
        if (!graph.values().containsKey(value)) {
            throw new UserInputException(
                    "the value " + value + " of " + where + " has no description in tensor_values");
        }
    }

    /** A node that runs one body gives it what it takes. */
    private static void fits(Node node) {
        BodyCall call = BodyCall.of(node);
        if (call != null && call.given().size() != call.body().graph().inputs().size()) {
            throw new UserInputException("node " + node.name() + " (" + node.target() + ") gives its body "
                    + call.given().size() + " values, which takes "
                    + call.body().graph().inputs().size());
        }
    }

    private static void use(Set<String> defined, Argument argument, Node node) {
        if (argument instanceof Argument.Subgraph body) {
            check(body.graph());
            return;
        }
        if (!(argument instanceof Argument.Value) && !(argument instanceof Argument.Values)) {
            return;
        }
        for (String value : GraphReader.tensors(argument)) {
            if (value != null && !defined.contains(value)) {
                throw new UserInputException("node " + node.name() + " (" + node.target() + ") reads the value " + value
                        + ", which nothing before it defines");
            }
        }
    }
}
