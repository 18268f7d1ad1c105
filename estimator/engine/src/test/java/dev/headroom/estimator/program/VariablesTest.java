package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.OnRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Map;
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
