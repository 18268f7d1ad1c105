package dev.headroom.model.checkpoint;

import static dev.headroom.model.checkpoint.Chains.SEQUENTIAL;
import static dev.headroom.model.checkpoint.Chains.call;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which operators are recomputed. */
class CheckpointPlanTest {
    private static List<String> ranges(Graph graph, Scenario run) {
        return CheckpointPlan.of(graph, run).regions().stream()
                .map(r -> r.from() + "-" + r.to())
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"33, 16, 15, 28-30", "33, 4, 3, 16-24", "33, 33, 32, 31-32", "8, 3, 2, 2-4", "8, 1, 0, ''"})
    void segmentsAreThoseOfCheckpointSequential(int blocks, int segments, int checkpoints, String last) {
        List<String> ranges = ranges(Chains.sequential(blocks, "mul"), Chains.run(segments, null));
        assertEquals(checkpoints, ranges.size());
        assertEquals(last, ranges.isEmpty() ? "" : ranges.get(ranges.size() - 1));
    }

    @Test
    void modulesWithoutOperatorsCountAsBlocks() {
        Chains chain = new Chains(call("", SEQUENTIAL));
        chain.then("mul", call("0", "Module")).then("mul", call("3", "Module")).then("mul", call("5", "Module"));
        assertEquals(List.of("0-1"), ranges(chain.graph(), Chains.run(2, null)));
        assertEquals(List.of("0-1", "1-2"), ranges(chain.graph(), Chains.run(3, null)));
    }

    /** A stem, two containers that follow each other, and a tail. */
    @Test
    void followingContainersMakeOneChainAndWhatIsBeforeThemOneBlock() {
        Chains chain = new Chains(call("", "Model"));
        chain.then("mul", call("conv", "Module")).then("mul", call("norm", "Module"));
        for (String path : List.of("a.0", "a.1", "b.0", "b.1", "b.2")) {
            chain.then("mul", call(path.substring(0, 1), SEQUENTIAL), call(path, "Module"));
        }
        chain.then("mul").then("mul", call("head", SEQUENTIAL), call("head.0", "Module"));
        assertEquals(List.of("0-3", "3-5"), ranges(chain.graph(), Chains.run(3, null)));
        Graph called = CheckpointPlan.of(chain.graph(), Chains.run(3, null)).graph();
        assertEquals("norm", called.nodes().get(1).module());
        assertEquals("b.2", called.nodes().get(6).module());
        assertEquals("", called.nodes().get(7).module());
        assertEquals("head.0", called.nodes().get(8).module());
    }

    @Test
    void aGraphWithoutAChainIsRefused() {
        Graph graph = new Chains(call("", "Model"))
                .then("mul", call("a", "Module"))
                .then("mul", call("b", "Module"))
                .graph();
        UserInputException e =
                assertThrows(UserInputException.class, () -> CheckpointPlan.of(graph, Chains.run(2, null)));
        assertTrue(e.getMessage().contains("`checkpoint_modules`"), e.getMessage());
    }

    @Test
    void aSegmentWithTwoInputsIsNoChain() {
        Chains chain = new Chains(call("", SEQUENTIAL));
        chain.then("mul", call("0", "Module")).then("mul", call("1", "Module"));
        chain.from("v0", "mul", call("2", "Module")).from("v1", "mul", call("3", "Module"));
        assertThrows(UserInputException.class, () -> CheckpointPlan.of(chain.graph(), Chains.run(2, null)));
    }

    @Test
    void moreSegmentsThanBlocksAreRefused() {
        Graph graph = Chains.sequential(3, "mul");
        UserInputException e =
                assertThrows(UserInputException.class, () -> CheckpointPlan.of(graph, Chains.run(4, null)));
        assertTrue(e.getMessage().contains("only 3 modules"), e.getMessage());
    }

    @Test
    void inputsThatChangeInPlaceAreRefusedWhereAutogradLooksAtThem() {
        Chains chain = new Chains(call("", SEQUENTIAL));
        chain.then("mul", call("0", "Module")).then("relu_", call("1", "Module"));
        chain.then("mul", call("2", "Module"));
        Scenario run = Chains.run(3, false);
        assertThrows(UserInputException.class, () -> CheckpointPlan.of(chain.graph(), run));
        Scenario reentrant = run.with(REENTRANT, true);
        assertThrows(UserInputException.class, () -> CheckpointPlan.of(chain.graph(), reentrant));
        Scenario noGradientComes = reentrant.with(INPUT_GRAD, false);
        assertEquals(
                2, CheckpointPlan.of(chain.graph(), noGradientComes).regions().size());
    }

    @Test
    void segmentsAreReentrantWhenTheInputRequiresAGradient() {
        Scenario run = Chains.run(2, null);
        assertTrue(CheckpointPlan.of(Chains.sequential(4, "mul"), run).reentrant());
        run = run.with(INPUT_GRAD, false);
        assertFalse(CheckpointPlan.of(Chains.sequential(4, "mul"), run).reentrant());
        run = run.with(INFERENCE, true);
        assertTrue(ranges(Chains.sequential(4, "mul"), run).isEmpty());
    }

    @Test
    void patternsNameModules() {
        Chains chain = new Chains(call("", "Model"));
        Node.ModuleCall body = call("body", "Body");
        for (int i = 0; i < 3; i++) {
            Node.ModuleCall block = call("body." + i, "Block");
            chain.then("mul", body, block, call("body." + i + ".a", "Module"));
            chain.then("mul", body, block, call("body." + i + ".b", "Module"));
        }
        Scenario run = Chains.run(0, null).with(CHECKPOINT_MODULES, List.of("body.*"));
        assertEquals(List.of("0-2", "2-4", "4-6"), ranges(chain.graph(), run));
        run = run.with(CHECKPOINT_MODULES, List.of("body.1.*", "**.2"));
        assertEquals(List.of("2-3", "3-4", "4-6"), ranges(chain.graph(), run));
        run = run.with(CHECKPOINT_MODULES, List.of("body"));
        assertEquals(List.of("0-6"), ranges(chain.graph(), run));
        Scenario mistyped = run.with(CHECKPOINT_MODULES, List.of("bod", "body"));
        UserInputException e = assertThrows(UserInputException.class, () -> CheckpointPlan.of(chain.graph(), mistyped));
        assertTrue(e.getMessage().contains("'bod'"), e.getMessage());
    }

    @Test
    void librariesWithASwitchCheckpointTheirBlocks() {
        String model = "transformers.models.some.modeling_some.";
        Chains nested = new Chains(call("", model + "SomeModel"));
        Node.ModuleCall layer = call("layers.0", model + "SomeLayer");
        nested.then("mul", call("embed", model + "SomeEmbeddings"));
        nested.then("mul", layer, call("layers.0.block.0", model + "SomeBlock"));
        nested.then("mul", layer).then("mul", call("layers.1", model + "SomeLayer"));
        assertEquals(List.of("1-3", "3-4"), ranges(nested.graph(), Chains.run(7, null)));
        assertFalse(CheckpointPlan.of(nested.graph(), Chains.run(7, null)).reentrant());

        Chains stages = new Chains(call("", "timm.models.some.Some"));
        Node.ModuleCall stage = call("stages.0", "timm.models.some.Stage");
        stages.then("mul", stage, call("stages.0.down.0", "timm.layers.norm.Norm"));
        stages.then("mul", stage, call("stages.0.blocks.0", "timm.models.some.Block"));
        stages.then("mul", stage, call("stages.0.blocks.1", "timm.models.some.Block"));
        assertEquals(List.of("1-2", "2-3"), ranges(stages.graph(), Chains.run(7, null)));
    }
}
