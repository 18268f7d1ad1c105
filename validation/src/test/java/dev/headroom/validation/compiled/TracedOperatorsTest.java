package dev.headroom.validation.compiled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.compile.rule.GraphTracer;
import dev.headroom.estimator.compile.rule.Rules;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.fixtures.OperatorCase;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.Scenario.Attention;
import dev.headroom.validation.PlayedCase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.AssertionFailedError;

/**
 * Decompositions have the results that PyTorch exported, in type and sizes, and gradients like what they are of. Results
 * of what has none ({@code undecomposed.txt}) are taken from the archive, so that only gradients are looked at.
 */
class TracedOperatorsTest {
    private static final int HOPPER = 9;

    /** Writes into parts of a tensor, which the tracer does not follow to the whole, and the gradient of no elements. */
    private static final Set<String> OPEN = Set.of(
            "corners/cat-empty",
            "inplace/add-view",
            "inplace/copy-view",
            "inplace/mul-view",
            "inplace/select-add",
            "inplace/setitem",
            "inplace/setitem-select",
            "inplace/setitem-zeros",
            "inplace/shift-channels");

    private static final Set<String> UNDECOMPOSED = OperatorCase.open("undecomposed.txt");

    @TestFactory
    Stream<DynamicTest> resultsAndGradientsOfEveryCase() {
        return OperatorCase.all().stream()
                .filter(c -> c.mode().equals("train"))
                .map(c -> DynamicTest.dynamicTest(c.label() + ": " + c.code(), () -> {
                    if (OPEN.contains(c.label())) {
                        assertThrows(AssertionFailedError.class, () -> check(c), "it is followed by now");
                    } else {
                        check(c);
                    }
                }));
    }

    private static void check(OperatorCase c) {
        Graph graph = PlayedCase.graph(c);
        GraphTracer tracer =
                new GraphTracer(Map.of(), null, g -> null, new Rules(HOPPER, Attention.AUTO), new IdentityHashMap<>());
        List<String> arguments = new ArrayList<>();
        for (Graph.Input in : graph.inputs()) {
            boolean trained = in.kind() == Graph.InputKind.PARAMETER;
            tracer.argument(in.value(), graph.meta(in.value()), in.kind() != Graph.InputKind.USER, trained);
            arguments.add(in.value());
        }
        tracer.trace(graph, graph.nodes());
        tracer.unknown().keySet().forEach(o -> assertTrue(UNDECOMPOSED.contains(o), () -> o + " is not decomposed"));
        for (Node node : graph.nodes()) {
            for (String out : node.outputs()) {
                TensorMeta meta = out == null ? null : graph.values().get(out);
                if (meta != null && tracer.knows(out)) {
                    assertEquals(
                            meta.dtype() + " " + meta.sizes(),
                            text(tracer.value(out)),
                            () -> out + " of " + node.target());
                }
            }
        }
        String first = graph.outputs().get(0).value();
        assertTrue(first != null && tracer.requiresGrad(first), "PyTorch ran backward from it");
        gradients(graph, arguments, tracer.backward(List.of(first), arguments));
    }

    private static void gradients(Graph graph, List<String> arguments, List<Value> gradients) {
        for (int i = 0; i < arguments.size(); i++) {
            String name = arguments.get(i);
            Value gradient = gradients.get(i);
            boolean trained = graph.inputs().get(i).kind() == Graph.InputKind.PARAMETER;
            assertEquals(trained, gradient != null, "gradient of " + name);
            if (gradient != null) {
                TensorMeta meta = graph.meta(name);
                assertEquals(meta.dtype() + " " + meta.sizes(), text(gradient), "gradient of " + name);
            }
        }
    }

    private static String text(Value v) {
        return v.dtype() + " " + Arrays.toString(v.sizes());
    }
}
