package dev.headroom.model.compiled;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Holds a graph's forward and backward code against each other: what one keeps, the other takes. */
final class PlanCheck {
    /** How gradients of results are called among the arguments of backward code. */
    static final String TANGENT = "tangents_";

    private PlanCheck() {}

    /** @throws UserInputException when they do not belong together */
    static void check(CompiledGraph graph, String where) {
        Set<String> tensors = tensors(graph.forward());
        List<Statement> statements = graph.forward().statements();
        Statement.Return returned = (Statement.Return) statements.get(statements.size() - 1);
        int results = graph.results().size();
        if (returned.names().size() < results) {
            throw new UserInputException(where + " returns " + returned.names().size() + " values, but its graph "
                    + results + "; the plan is of two compilations, or damaged");
        }
        for (int i = 0; i < results; i++) {
            if (graph.results().get(i) != null
                    && !tensors.contains(String.valueOf(returned.names().get(i)))) {
                throw new UserInputException(where + " returns "
                        + returned.names().get(i) + ", which nothing made before; the file is damaged");
            }
        }
        CompiledCode backward = graph.backward();
        if (backward == null) {
            return;
        }
        checkGradients(graph, where);
        long kept = returned.names().subList(results, returned.names().size()).stream()
                .filter(name -> name != null && tensors.contains(name))
                .count();
        long tangents = backward.inputs().keySet().stream()
                .filter(name -> name.startsWith(TANGENT))
                .count();
        long taken = backward.arguments().stream()
                .filter(name -> backward.inputs().containsKey(name) && !name.startsWith(TANGENT))
                .count();
        long differentiable = graph.results().stream()
                .filter(Objects::nonNull)
                .map(TensorMeta::dtype)
                .filter(type -> type.isFloatingPoint())
                .count();
        if (kept != taken || tangents > differentiable) {
            throw new UserInputException(where + " keeps " + kept + " tensors for backward, whose code takes " + taken
                    + "; the plan is of two compilations, or damaged");
        }
    }

    /** A gradient has its input's sizes (torch/csrc/autograd/engine.cpp, validate_outputs). */
    private static void checkGradients(CompiledGraph graph, String where) {
        List<String> arguments = graph.forward().arguments();
        for (int i = 0; i < Math.min(arguments.size(), graph.gradients().size()); i++) {
            TensorMeta input = graph.forward().inputs().get(arguments.get(i));
            TensorMeta gradient = graph.gradients().get(i);
            if (input != null && gradient != null && !input.sizes().equals(gradient.sizes())) {
                throw new UserInputException(where + " gives " + arguments.get(i) + " of " + input.sizes()
                        + " a gradient of " + gradient.sizes() + "; the plan is of two compilations, or damaged");
            }
        }
    }

    /** Names that are tensors when the code returns. */
    private static Set<String> tensors(CompiledCode code) {
        Set<String> out = new HashSet<>(code.inputs().keySet());
        out.retainAll(code.arguments());
        for (Statement s : code.statements()) {
            if (s instanceof Statement.Allocate a) {
                out.add(a.name());
            } else if (s instanceof Statement.Alias a && out.contains(a.of())) {
                out.add(a.name());
            } else if (s instanceof Statement.Call c && code.buffers().containsKey(c.name())) {
                out.add(c.name());
            } else if (s instanceof Statement.Item i && code.buffers().containsKey(i.name())) {
                out.add(i.name());
            } else if (s instanceof Statement.Free f) {
                f.names().forEach(out::remove);
            }
        }
        return out;
    }
}
