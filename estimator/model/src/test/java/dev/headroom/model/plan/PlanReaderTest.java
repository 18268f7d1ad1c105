package dev.headroom.model.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans of tensor parallelism, as users write them and as models get them. */
class PlanReaderTest {
    private static final List<String> MODULES = List.of(
            "",
            "embed",
            "layers",
            "layers.0",
            "layers.0.up",
            "layers.0.down",
            "layers.1",
            "layers.1.up",
            "layers.1.down",
            "head");

    @TempDir
    Path folder;

    private TensorPlan plan(String json) throws IOException {
        return PlanReader.read(Files.writeString(folder.resolve("plan.json"), json));
    }

    @Test
    void modulesAreSharedInTheOrderOfThePlanAndBlockByBlock() throws IOException {
        TensorPlan plan = plan("""
                {"head": "ColwiseParallel",
                 "layers.*": {"up": "ColwiseParallel",
                              "down": {"style": "RowwiseParallel", "output_layouts": "Shard(1)"}}}""");
        List<PlannedModule> shared = plan.of(MODULES);
        assertEquals(
                List.of("head", "layers.0.up", "layers.0.down", "layers.1.up", "layers.1.down"),
                shared.stream().map(PlannedModule::path).toList());
        ModuleStyle down = shared.get(2).style();
        assertEquals(Placement.shard(-1), down.input());
        assertEquals(Placement.shard(1), down.output());
        assertTrue(down.localOutput());
    }

    @Test
    void sequenceParallelAndPreparedInputsGiveDTensors() throws IOException {
        TensorPlan plan = plan("""
                {"embed": "SequenceParallel",
                 "head": {"style": "PrepareModuleInput", "input_layouts": ["Shard(1)", null],
                          "desired_input_layouts": ["Replicate()", null]}}""");
        List<PlannedModule> shared = plan.of(MODULES);
        assertFalse(shared.get(0).style().localOutput());
        assertFalse(shared.get(1).style().localInput());
        assertEquals(Placement.REPLICATE, shared.get(1).style().desiredInputs().get(0));
        assertEquals(null, shared.get(1).style().inputs().get(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"nothing\": \"ColwiseParallel\"} | no module of the model is called 'nothing'",
                "{\"layers.*\": {\"gate\": \"ColwiseParallel\"}} | no module of the model is called 'layers.0.gate'",
                "{} | names no module",
            })
    void patternsThatFitNothingAreRefused(String json, String reason) throws IOException {
        TensorPlan plan = plan(json);
        UserInputException refused = assertThrows(UserInputException.class, () -> plan.of(MODULES));
        assertTrue(refused.getMessage().contains(reason), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"head\": \"Columns\"} | 'Columns' is no style",
                "{\"head\": {\"style\": \"ColwiseParallel\", \"input\": 1}} | has no argument 'input'",
                "{\"head\": {\"style\": \"ColwiseParallel\", \"output_layouts\": \"Partial()\"}} | is no layout",
                "[1] | a plan is a JSON object",
                "{ | is no JSON",
            })
    void whatIsNoPlanIsRefused(String json, String reason) {
        UserInputException refused = assertThrows(UserInputException.class, () -> plan(json));
        assertTrue(refused.getMessage().contains(reason), refused.getMessage());
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Path missing = folder.resolve("missing.json");
        UserInputException refused = assertThrows(UserInputException.class, () -> PlanReader.read(missing));
        assertTrue(refused.getMessage().contains("there is no file"), refused.getMessage());
    }

    @Test
    void decodersWithTheUsualNamesHaveAPlan() {
        List<String> llama = List.of(
                "",
                "model",
                "model.embed_tokens",
                "model.layers",
                "model.layers.0",
                "model.layers.0.self_attn",
                "model.layers.0.self_attn.q_proj",
                "model.layers.0.self_attn.k_proj",
                "model.layers.0.self_attn.v_proj",
                "model.layers.0.self_attn.o_proj",
                "lm_head");
        List<PlannedModule> shared = UsualPlans.of(llama, false, true).of(llama);
        assertEquals(6, shared.size());
        assertEquals(ModuleStyle.Kind.ROWWISE, shared.get(0).style().kind());
        PlannedModule head = shared.get(5);
        assertEquals(Placement.shard(-1), head.style().output());
        assertFalse(head.style().localOutput());
        assertThrows(UserInputException.class, () -> UsualPlans.of(llama, true, false));
        assertThrows(UserInputException.class, () -> UsualPlans.of(MODULES, false, false));
    }
}
