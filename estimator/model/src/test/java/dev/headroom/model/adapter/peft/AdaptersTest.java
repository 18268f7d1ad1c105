package dev.headroom.model.adapter.peft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.adapter.peft.graph.Surroundings;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Addition;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdaptersTest {
    private static final AdapterOptions LORA = AdapterOptions.NONE.withLora(4).withTargets(List.of("1", "3"));

    /** Embedding, linear, activation, linear, normalisation, head. */
    private static Graph model() {
        return Model.of(
                        "small",
                        Sequential.of(
                                Layers.embedding(100, 8),
                                Layers.linear(8, 16),
                                Layers.relu(),
                                Layers.linear(16, 8, false),
                                Layers.layerNorm(8),
                                Layers.linear(8, 100, false)))
                .input("ids", DType.INT64, Model.BATCH, 5)
                .graph();
    }

    private static Graph adapted(AdapterOptions options, DType model, DType autocast) {
        Graph graph = model();
        return Adapters.rewrite(graph, options, Surroundings.of(graph, model, autocast, true));
    }

    private static Graph adapted(AdapterOptions options) {
        return adapted(options, null, null);
    }

    private static List<String> parameters(Graph graph, boolean trained) {
        List<String> out = new ArrayList<>();
        graph.held().tensors().forEach((name, t) -> {
            if (t.meta().requiresGrad() == trained) {
                out.add(name);
            }
        });
        return out;
    }

    private static List<String> calls(Graph graph, String module) {
        return graph.nodes().stream()
                .filter(n -> n.module().equals(module) || n.module().startsWith(module + "."))
                .map(n -> n.module() + " " + n.operator())
                .toList();
    }

    @Test
    void parametersHaveTheNamesAndTheOrderOfPeft() {
        assertEquals(
                List.of(
                        "0.weight",
                        "1.base_layer.weight",
                        "1.base_layer.bias",
                        "1.lora_A.default.weight",
                        "1.lora_B.default.weight",
                        "3.base_layer.weight",
                        "3.lora_A.default.weight",
                        "3.lora_B.default.weight",
                        "4.weight",
                        "4.bias",
                        "5.weight"),
                List.copyOf(adapted(LORA).held().tensors().keySet()));
    }

    @Test
    void onlyAdaptersAreTrained() {
        assertEquals(
                List.of(
                        "1.lora_A.default.weight",
                        "1.lora_B.default.weight",
                        "3.lora_A.default.weight",
                        "3.lora_B.default.weight"),
                parameters(adapted(LORA), true));
        assertTrue(parameters(adapted(LORA.withTrain(List.of("4."))), true).contains("4.bias"));
    }

    @Test
    void theBaseLayerRunsFirst() {
        assertEquals(
                List.of(
                        "1.base_layer aten.linear",
                        "1 aten.to",
                        "1.lora_A.default aten.linear",
                        "1.lora_B.default aten.linear",
                        "1 aten.mul",
                        "1 aten.add",
                        "1 aten.to"),
                calls(adapted(LORA), "1"));
    }

    @Test
    void dropoutIsACallOfItsOwn() {
        assertTrue(calls(adapted(LORA.withDropout(0.1)), "1").contains("1.lora_dropout.default aten.dropout"));
    }

    @Test
    void whatReadTheLayerReadsItsWrapper() {
        Graph before = model();
        Graph after = adapted(LORA);
        Node relu = after.nodes().stream()
                .filter(n -> n.operator().equals("aten.relu"))
                .findFirst()
                .orElseThrow();
        assertEquals(
                before.nodes().stream()
                        .filter(n -> n.operator().equals("aten.relu"))
                        .findFirst()
                        .orElseThrow()
                        .reads(),
                relu.reads());
    }

    @Test
    void adaptersAreMadeInTheLayersTypeAndThenConverted() {
        List<Addition> made = adapted(LORA.withTargets(List.of("1")), DType.BFLOAT16, null)
                .held()
                .additions();
        assertEquals(
                List.of("NEW BFLOAT16", "NEW BFLOAT16", "CONVERSION FLOAT32", "CONVERSION FLOAT32"),
                made.stream().map(a -> a.kind() + " " + a.type()).toList());
        assertEquals(
                2,
                adapted(LORA.withTargets(List.of("1")).withType(AdapterOptions.Type.MODEL), DType.BFLOAT16, null)
                        .held()
                        .additions()
                        .size());
    }

    @Test
    void decomposedWeightsHaveMagnitudes() {
        Graph graph = adapted(LORA.withDora(true));
        assertTrue(graph.held().tensors().containsKey("1.lora_magnitude_vector.default.weight"));
        assertEquals(
                List.of("1.base_layer.weight", "1.lora_A.default.weight", "1.lora_B.default.weight"),
                graph.held().additions().stream()
                        .filter(a -> a.kind() == Addition.Kind.ROW_NORMS)
                        .findFirst()
                        .orElseThrow()
                        .of());
    }

    @Test
    void allLinearLeavesTheOutputOut() {
        Graph graph = adapted(LORA.withTargets(List.of("all-linear")));
        assertTrue(graph.held().tensors().containsKey("3.lora_A.default.weight"));
        assertFalse(graph.held().tensors().containsKey("5.lora_A.default.weight"));
    }

    @Test
    void savedModulesAreCopiesBesideTheOriginals() {
        Graph graph = adapted(LORA.withModulesToSave(List.of("5")));
        assertTrue(graph.held()
                .tensors()
                .get("5.modules_to_save.default.weight")
                .meta()
                .requiresGrad());
        assertFalse(
                graph.held().tensors().get("5.original_module.weight").meta().requiresGrad());
        assertEquals(List.of("5.modules_to_save.default aten.linear"), calls(graph, "5"));
    }

    @Test
    void embeddingsHaveMatricesOfTheirOwn() {
        Graph graph = adapted(LORA.withTargets(List.of("0")));
        assertEquals(List.of("0.lora_embedding_A.default", "0.lora_embedding_B.default"), parameters(graph, true));
    }

    @Test
    void parametersOfModulesAreAdaptedWhereTheModuleAsksForThem() {
        Graph graph = adapted(LORA.withTargets(List.of("1")).withTargetParameters(List.of("3.weight")));
        assertEquals(
                "3.base_layer aten.linear",
                calls(graph, "3").get(calls(graph, "3").size() - 2));
        assertTrue(graph.held().tensors().containsKey("3.lora_B.default.weight"));
    }

    @Test
    void frozenParametersNeedNoAdapters() {
        assertEquals(
                List.of("1.bias", "1.weight", "3.weight", "5.weight"),
                parameters(adapted(AdapterOptions.NONE.withFreeze(List.of("0.", "4."))), true).stream()
                        .sorted()
                        .toList());
        assertEquals(List.of("5.weight"), parameters(adapted(AdapterOptions.NONE.withTrain(List.of("5."))), true));
    }

    @Test
    void absentTargetsAreToldWhereOthersMatch() {
        assertEquals(
                List.of("`targets`: the model has no module 'q_proj'; peft leaves it out"),
                adapted(LORA.withTargets(List.of("1", "q_proj"))).held().notes());
    }

    @ParameterizedTest
    @CsvSource({
        "`targets`, 7, `targets`: the model has no module '7'",
        "`targets`, .*proj, `targets`: no module's path matches '.*proj'",
        "`targets`, (, `targets`: '(' is no regular expression: Unclosed group",
        "`targets`, 2, '`targets`: peft makes no adapter for ''2'', a ReLU'",
        "`modules_to_save`, head, `modules_to_save`: the model has no module 'head'",
        "`target_parameters`, experts, `target_parameters`: the model has no parameter 'experts'",
        "`freeze`, embed, `freeze`: the model has no parameter with 'embed'"
    })
    void badNamesAreRefused(String option, String value, String message) {
        List<String> names = List.of(value);
        AdapterOptions options =
                switch (option) {
                    case "`targets`" -> LORA.withTargets(names);
                    case "`modules_to_save`" -> LORA.withModulesToSave(names);
                    case "`target_parameters`" -> LORA.withTargetParameters(names);
                    default -> LORA.withFreeze(names);
                };
        String said =
                assertThrows(UserInputException.class, () -> adapted(options)).getMessage();
        assertEquals(message, said);
    }
}
