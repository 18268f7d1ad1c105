package dev.headroom.model.family;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ShippedConfigs;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.AdapterSettings;
import dev.headroom.model.scenario.ModelSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TrainerSettings;
import dev.headroom.model.trainer.TransformersVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigImporterTest {
    private static final Scenario RUN = Scenario.defaults().with(ModelSettings.SEQ, 64L);

    private static Graph read(String model, String... entries) {
        return Importers.read(Path.of(model), run(model).with(ModelSettings.ENTRIES, List.of(entries)));
    }

    private static Scenario run(String model) {
        String type = ShippedConfigs.has(model) ? ShippedConfigs.read(model).modelType() : "";
        return switch (type) {
            case "vit" -> Scenario.defaults();
            case "qwen2_vl", "qwen2_5_vl" -> RUN.with(ModelSettings.IMAGE_SIZE, List.of(112, 168));
            case "qwen3_vl", "qwen3_vl_moe" -> RUN.with(ModelSettings.IMAGE_SIZE, List.of(96, 160));
            default -> RUN;
        };
    }

    private static String message(String model, String... entries) {
        return assertThrows(UserInputException.class, () -> read(model, entries))
                .getMessage();
    }

    static Stream<ShippedConfigs.Entry> written() {
        return ShippedConfigs.all().stream()
                .filter(e ->
                        Families.find(ShippedConfigs.read(e.name()).modelType()).isPresent());
    }

    /** The number that the makers publish is the check that a config and its family are right. */
    @ParameterizedTest
    @MethodSource("written")
    void parametersAreAsManyAsPublished(ShippedConfigs.Entry entry) {
        long count = read(entry.name()).held().tensors().entrySet().stream()
                .filter(e -> e.getValue().kind() == Graph.InputKind.PARAMETER)
                .filter(e -> e.getValue().storage().equals(e.getKey()))
                .mapToLong(e -> elements(e.getValue()))
                .sum();
        assertEquals(entry.parameters(), count);
    }

    @ParameterizedTest
    @CsvSource({
        "meta-llama/Llama-3.1-8B-Instruct, llama-3.1-8b",
        "Llama-3.1-8B-Instruct, llama-3.1-8b",
        "qwen/qwen2.5-coder-7b-instruct, qwen2.5-7b",
        "google/gemma-3-4b-pt, gemma-3-4b",
        "LLAMA-2-7B, llama-2-7b"
    })
    void repositoriesMeanModelsToo(String said, String name) {
        assertEquals(name, ShippedConfigs.find(said).orElseThrow().name());
        assertEquals(name, ShippedConfigs.read(said).source());
    }

    @Test
    void noRepositoryMeansTwoModels() {
        List<String> repositories = ShippedConfigs.all().stream()
                .flatMap(e -> Stream.concat(Stream.of(e.name()), e.same().stream()))
                .toList();
        assertEquals(repositories.stream().distinct().toList(), repositories);
    }

    @Test
    void namesThatNobodyKnowsGetARemedy() {
        String unknown = message("somebody/new-model-900b");
        assertTrue(unknown.contains("headroom export-help"), unknown);
        String near = message("Qwen/Qwen2.5-7C");
        assertTrue(near.contains("did you mean 'qwen2.5-7b'?"), near);
    }

    /** As many, in layers of their own that adapters and quantisation know. */
    @ParameterizedTest
    @CsvSource({
        "mixtral-8x7b, model.layers.0.mlp.experts.7.w2.weight",
        "qwen3-30b-a3b, model.layers.0.mlp.experts.7.down_proj.weight"
    })
    void expertsOfTransformersFourAreModules(String model, String weight) {
        Graph four =
                Importers.read(Path.of(model), RUN.with(TrainerSettings.TRANSFORMERS, TransformersVersion.of("4.55")));
        assertEquals(2, four.held().tensors().get(weight).meta().sizes().size());
        assertEquals(parameters(read(model)), parameters(four));
    }

    private static long parameters(Graph graph) {
        return graph.held().tensors().values().stream()
                .filter(t -> t.kind() == Graph.InputKind.PARAMETER)
                .mapToLong(ConfigImporterTest::elements)
                .sum();
    }

    private static long elements(ModelState.HeldTensor held) {
        return held.meta().sizes().stream()
                .mapToLong(size -> size.evaluate(Map.of()))
                .reduce(1, (a, b) -> a * b);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "num_attention_heads=3|num_attention_heads 3 is not divisible by num_key_value_heads 8",
                "hidden_size=null|\"hidden_size\" is missing",
                "hidden_size=0|must be a whole number of at least 1",
                "hidden_size=\"wide\"|must be a whole number of at least 1",
                "model_type=\"mistal\"|did you mean 'mistral'?",
                "model_type=null|has no \"model_type\"",
                "hidden_act=\"other\"|an activation that Headroom does not write",
                "architectures=[\"LlamaModel\"]|language models",
                "hidden_size=|`set=hidden_size` has no value",
                "hidden_size=wide|is not valid JSON",
                "hidden_size|not of the form KEY=JSON",
            })
    void whatCannotBeIsOneLine(String entry, String expected) {
        String message = message("llama-3.1-8b", entry);
        assertTrue(message.contains(expected), message);
        assertEquals(1, message.lines().count());
    }

    @Test
    void namesThatAreNearlyRightAreSuggested() {
        assertTrue(message("lama-3.1-8b").contains("did you mean 'llama-3.1-8b'?"));
    }

    @Test
    void sequencesNeedALength() {
        UserInputException e = assertThrows(
                UserInputException.class, () -> Importers.read(Path.of("smollm2-135m"), Scenario.defaults()));
        assertTrue(e.getMessage().contains("pass `seq=N`"), e.getMessage());
    }

    static Stream<Arguments> imagesThatCannotBe() {
        return Stream.of(
                Arguments.of("qwen2.5-vl-3b", RUN, "pass `image_size=HxW`"),
                Arguments.of("qwen2.5-vl-3b", sized(100, 112), "multiples of 28"),
                Arguments.of("qwen2.5-vl-3b", sized(112), "multiples of 28"),
                Arguments.of("qwen2-vl-2b", sized(280, 280), "too short for an image of 100 tokens"),
                Arguments.of("qwen2-vl-2b", sized(112, 112).with(ModelSettings.PACKING, true), "`packing`"),
                Arguments.of("qwen2-vl-2b", sized(112, 112).with(ScenarioSettings.COMPILE, true), "`compile`"),
                Arguments.of(
                        "qwen2-vl-2b",
                        sized(112, 112).with(ModelSettings.TASK, ModelOptions.Task.SEQUENCE_CLASSIFICATION),
                        "leave `task` out"),
                Arguments.of("llava-1.5-7b", sized(112, 112), "leave `image_size` out"),
                Arguments.of("llama-3.1-8b", sized(112, 112), "leave `image_size` out"));
    }

    private static Scenario sized(Integer... sides) {
        return RUN.with(ModelSettings.IMAGE_SIZE, List.of(sides));
    }

    @ParameterizedTest
    @MethodSource
    void imagesThatCannotBe(String model, Scenario run, String expected) {
        UserInputException e = assertThrows(UserInputException.class, () -> Importers.read(Path.of(model), run));
        assertTrue(e.getMessage().contains(expected), e.getMessage());
        assertEquals(1, e.getMessage().lines().count());
    }

    /** peft fails on it: a layer that is a linear one and returns two values. */
    @Test
    void routersOfLlamaFourAreNotWrapped() {
        Scenario all = RUN.with(AdapterSettings.LORA, 8).with(AdapterSettings.TARGETS, List.of("all-linear"));
        UserInputException e =
                assertThrows(UserInputException.class, () -> Importers.read(Path.of("llama-4-scout"), all));
        assertTrue(e.getMessage().contains("router"), e.getMessage());
    }

    @Test
    void packedSequencesHaveNoMask() {
        Scenario both = RUN.with(ModelSettings.PACKING, true).with(ModelSettings.MASK, ModelOptions.Mask.FULL);
        assertThrows(UserInputException.class, () -> Importers.read(Path.of("smollm2-135m"), both));
    }

    @Test
    void weightsBesideAConfigMustFit(@TempDir Path folder) throws IOException {
        Files.writeString(
                folder.resolve("config.json"),
                "{\"model_type\": \"llama\", \"hidden_size\": 8, \"intermediate_size\": 16,"
                        + " \"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"vocab_size\": 10}");
        weights(folder, "[10, 8]");
        assertEquals(2, Importers.read(folder, RUN).outputs().size());
        weights(folder, "[10, 9]");
        String message = assertThrows(UserInputException.class, () -> Importers.read(folder, RUN))
                .getMessage();
        assertTrue(message.contains("embed_tokens"), message);
        Files.write(folder.resolve("model.safetensors"), new byte[] {1, 2, 3});
        assertThrows(UserInputException.class, () -> Importers.read(folder, RUN));
    }

    private static void weights(Path folder, String shape) throws IOException {
        byte[] header = ("{\"model.embed_tokens.weight\": {\"dtype\": \"F32\", \"shape\": " + shape
                        + ", \"data_offsets\": [0, 0]}}")
                .getBytes(StandardCharsets.UTF_8);
        ByteBuffer file = ByteBuffer.allocate(8 + header.length).order(ByteOrder.LITTLE_ENDIAN);
        file.putLong(header.length).put(header);
        Files.write(folder.resolve("model.safetensors"), file.array());
    }

    @Test
    void foldersWithoutAConfigAreNamed(@TempDir Path folder) {
        UserInputException e = assertThrows(UserInputException.class, () -> Importers.read(folder, RUN));
        assertTrue(e.getMessage().contains("without a config.json"), e.getMessage());
    }
}
