package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.generation.VariableNodes;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Names that outlive a graph, and what is counted on the way. */
class VariablesTest extends OnRuntime {
    @Test
    void aNameHoldsOneTensor() {
        Variables variables = new Variables(rt);
        Tensor first = kib();
        Tensor second = kib();
        variables.bind("past", first);
        assertEquals(Category.OUTPUTS, first.storage().category());
        rt.free(first);
        assertEquals(2 * KIB, allocated(), "the name holds it");
        variables.bind("past", second);
        assertEquals(KIB, allocated(), "the first one goes");
        rt.free(second);
        variables.delete("other");
        assertEquals(Map.of("past", second), variables.held());
        variables.delete("past");
        assertEquals(0, allocated());
    }

    @Test
    void whatIsNoTemporaryStaysWhatItIs() {
        Variables variables = new Variables(rt);
        Tensor weight = kib();
        rt.setCategory(weight, Category.PARAMETERS);
        variables.bind("weight", weight);
        assertEquals(Category.PARAMETERS, weight.storage().category());
    }

    @Test
    void nodesBindAndDelete() {
        Variables variables = new Variables(rt);
        Tensor t = kib();
        variables.run(
                WrittenGraph.node(VariableNodes.BIND, "-", "name", new Argument.Text("past"), "value", "v"),
                Map.of("v", t));
        assertEquals(Map.of("past", t), variables.held());
        variables.run(WrittenGraph.node(VariableNodes.DELETE, "-", "name", new Argument.Text("past")), Map.of());
        assertTrue(variables.held().isEmpty());
    }

    @Test
    void aNodeThatNeverRanHasNoResults() {
        NodeRuns runs = new NodeRuns(
                new int[] {1, 0},
                new int[][] {{7, -1}, null},
                Map.of("y", new NodeRuns.Made(DType.FLOAT32, new long[] {2})),
                0);
        assertArrayEquals(new int[] {7, -1}, runs.storages(0));
        assertArrayEquals(new int[0], runs.storages(1));
        assertArrayEquals(new int[0], runs.storages(2));
        assertArrayEquals(new int[0], NodeRuns.NONE.storages(0));
        Graph graph = new WrittenGraph().value("x", DType.INT64).graph();
        assertEquals(Set.of("x", "y"), runs.known(graph).values().keySet());
    }

    @Test
    void allNamesGoTogether() {
        Variables variables = new Variables(rt);
        for (String name : List.of("a", "b", "c")) {
            Tensor t = kib();
            variables.bind(name, t);
            rt.free(t);
        }
        assertEquals(3 * KIB, allocated());
        variables.deleteAll();
        assertEquals(0, allocated());
        assertTrue(variables.held().isEmpty());
    }

    @Test
    void callsWithoutARuleAreCountedByOperator() {
        Unmodelled unmodelled = new Unmodelled();
        unmodelled.count("aten.b");
        unmodelled.count("aten.b");
        unmodelled.count("aten.c");
        assertEquals(Map.of("aten.b", 2, "aten.c", 1), unmodelled.counts());
        Map<String, Integer> all = unmodelled.with(Map.of("aten.a", 1, "aten.c", 4));
        assertEquals(List.of("aten.a", "aten.b", "aten.c"), List.copyOf(all.keySet()));
        assertEquals(List.of(1, 2, 5), List.copyOf(all.values()));
        assertEquals(2, unmodelled.counts().size(), "it keeps its own");
    }

    @Test
    void aFewOperatorsHaveAnotherAlgorithmThatIsDeterministic() {
        assertTrue(Deterministic.differs("aten.scatter_add"));
        assertFalse(Deterministic.differs("aten.add"));
    }
}
