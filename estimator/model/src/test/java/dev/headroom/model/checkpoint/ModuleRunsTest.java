package dev.headroom.model.checkpoint;

import static dev.headroom.model.checkpoint.Chains.SEQUENTIAL;
import static dev.headroom.model.checkpoint.Chains.call;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs of siblings as one checkpoint. */
class ModuleRunsTest {
    /** Two containers of four modules of one operator, and an operator of the model's own between them. */
    private static Graph graph() {
        Chains chain = new Chains(call("", "Model"));
        for (String container : List.of("a", "b")) {
            Node.ModuleCall outer = call(container, SEQUENTIAL);
            for (int i = 0; i < 4; i++) {
                chain.then("mul", outer, call(container + "." + i, "Module"));
            }
            chain.then("mul");
        }
        return chain.graph();
    }

    private static List<String> ranges(String... patterns) {
        Scenario run = Chains.run(0, null).with(CHECKPOINT_MODULES, List.of(patterns));
        return CheckpointPlan.of(graph(), run).regions().stream()
                .map(r -> r.from() + "-" + r.to())
                .toList();
    }

    private static String refusal(String... patterns) {
        return assertThrows(UserInputException.class, () -> ranges(patterns)).getMessage();
    }

    @Test
    void aRunIsOneCheckpoint() {
        assertEquals(List.of("0-3"), ranges("a.0..a.2"));
        assertEquals(List.of("1-2", "2-4", "5-9"), ranges("b.0..b.3", "a.2..a.3", "a.1"));
        assertEquals(List.of("0-4"), ranges("a.1..a.2", "a", "a.*"));
    }

    @Test
    void whatIsNoRunIsRefused() {
        assertTrue(refusal("a.0..b.1").contains("not in one container"));
        assertTrue(refusal("a..b").contains("between 'a' and 'b'"));
        assertTrue(refusal("a.2..a.1").contains("does not run after 'a.2'"));
        assertTrue(refusal("a.0..a.7").contains("'a.7'"));
        assertTrue(refusal("a.0..").contains("write the paths"));
        assertTrue(refusal("a.0..a.*").contains("write the paths"));
        assertTrue(refusal("").endsWith("is called ''; `layers` lists the modules"));
        assertTrue(refusal("a.0..a.2", "a.1..a.3").contains("neither holds the other"));
    }
}
