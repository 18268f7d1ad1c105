package dev.headroom.model.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.graph.TensorMeta;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ModelFixturesTest {
    static List<Path> models() {
        return Fixtures.models();
    }

    @ParameterizedTest
    @MethodSource("models")
    void everySizeHasAValueAtTheExportedBatch(Path model) {
        Graph graph = Importers.read(model);
        Map<String, Long> symbols = SymbolBinding.bind(graph, 8L, Map.of());
        assertEquals(graph.symbols().keySet(), symbols.keySet());
        assertEquals(8L, graph.symbols().values().iterator().next().hint());
        assertTrue(graph.nodes().stream().noneMatch(n -> n.target().startsWith("torch.ops.")));
        assertFalse(graph.nodes().stream().anyMatch(n -> n.target().startsWith("aten.sym_size")));
        assertTrue(graph.state().size() <= graph.held().tensors().size());
    }

    /**
     * What a model holds is what PyTorch's allocator was asked for when the model moved to the GPU: requested bytes and
     * number of allocations after phase "model" in the recordings resnet18-b32-sgd, resnet50-b32-adamw,
     * vgg16-b32-adamw, vit_b_16-b32-adamw, mlp-xor-plain, cnn-small-b100-adam, gpt2-b8-512-adamw and
     * bert-base-b16-256-adamw.
     */
    @ParameterizedTest
    @CsvSource({
        "resnet18-i224, 46796608, 122, 122",
        "resnet50-i224, 102441032, 320, 320",
        "vgg16-i224, 553430176, 32, 32",
        "vit_b_16-i224, 346270624, 152, 152",
        "mlp-xor, 36944208, 32, 32",
        "cnn-small, 54577132, 8, 8",
        "gpt2-s512, 497759232, 148, 149",
        "bert-base-s256, 438065384, 204, 204"
    })
    void heldTensorsTakeTheRecordedBytes(String model, long bytes, int allocations, int stateEntries) {
        Graph graph = Importers.read(Fixtures.model(model));
        long sum = 0;
        int storages = 0;
        for (Map.Entry<String, HeldTensor> entry : graph.held().tensors().entrySet()) {
            HeldTensor tensor = entry.getValue();
            if (tensor.kind() != Graph.InputKind.CONSTANT && tensor.storage().equals(entry.getKey())) {
                storages++;
                sum += tensor.meta().sizes().stream()
                        .mapToLong(s -> s.evaluate(Map.of()))
                        .reduce(tensor.meta().dtype().bytes(), Math::multiplyExact);
            }
        }
        assertEquals(bytes, sum);
        assertEquals(allocations, storages);
        assertEquals(stateEntries, graph.state().size());
    }

    @Test
    void convolutionIsReadWithItsArgumentsModulesAndSizes() {
        Graph graph = Importers.read(Fixtures.model("resnet18-i224"));
        Node first = graph.nodes().get(0);
        assertEquals("aten.conv2d.default", first.target());
        assertEquals("aten.conv2d", first.operator());
        assertEquals("conv1", first.module());
        assertEquals("torch.nn.modules.conv.Conv2d", first.moduleStack().get(1).type());
        assertEquals(
                List.of("input", "weight", "bias", "stride", "padding"),
                first.arguments().stream().map(Node.NamedArgument::name).toList());
        assertEquals(new Argument.Value("x"), first.arguments().get(0).value());
        assertEquals(new Argument.None(), first.arguments().get(2).value());
        assertEquals(
                new Argument.Ints(List.of(SymExpr.of(2), SymExpr.of(2))),
                first.arguments().get(3).value());
        TensorMeta out = graph.values().get(first.outputs().get(0));
        assertEquals(DType.FLOAT32, out.dtype());
        assertEquals(
                List.of(5L, 64L, 112L, 112L),
                out.sizes().stream().map(s -> s.evaluate(Map.of("s77", 5L))).toList());
        assertTrue(first.stackTrace().contains("_conv_forward"));
    }

    @Test
    void stateIsInTheOrderOfStateDict() {
        Graph graph = Importers.read(Fixtures.model("resnet18-i224"));
        assertEquals(
                List.of(
                        "conv1.weight",
                        "bn1.weight",
                        "bn1.bias",
                        "bn1.running_mean",
                        "bn1.running_var",
                        "bn1.num_batches_tracked",
                        "layer1.0.conv1.weight"),
                graph.state().subList(0, 7));
        assertEquals(List.of("", "conv1", "bn1", "relu"), graph.held().modules().subList(0, 4));
        assertEquals(
                new Graph.Input(Graph.InputKind.BUFFER, "b_bn1_running_mean", "bn1.running_mean", true),
                graph.inputs().stream()
                        .filter(i -> i.qualifiedName().equals("bn1.running_mean"))
                        .findFirst()
                        .orElseThrow());
    }

    @Test
    void countersOfBatchNormChangeInPlace() {
        Graph graph = Importers.read(Fixtures.model("resnet18-i224"));
        Node counter = graph.nodes().get(1);
        assertEquals("aten.add_.Tensor", counter.target());
        assertEquals(
                new Argument.Value("b_bn1_num_batches_tracked"),
                counter.arguments().get(0).value());
        assertEquals("bn1", counter.module());
    }

    @Test
    void tiedParametersAreFoundWithoutData() {
        Map<String, HeldTensor> gpt =
                Importers.read(Fixtures.model("gpt2-s512")).held().tensors();
        assertEquals("transformer.wte.weight", gpt.get("lm_head.weight").storage());
        assertEquals("transformer.wte.weight", gpt.get("transformer.wte.weight").storage());
        assertEquals("transformer.wpe.weight", gpt.get("transformer.wpe.weight").storage());
        Graph bert = Importers.read(Fixtures.model("bert-base-s256"));
        assertEquals(
                "bert.embeddings.word_embeddings.weight",
                bert.held().tensors().get("cls.predictions.decoder.weight").storage());
        assertEquals(
                "cls.predictions.bias",
                bert.held().tensors().get("cls.predictions.decoder.bias").storage());
        assertEquals(1, bert.held().notes().size(), "the bias is tied by likeness only, which must be said");
    }

    @Test
    void buffersOutsideStateDictAreHeldAllTheSame() {
        Graph graph = Importers.read(Fixtures.model("bert-base-s256"));
        HeldTensor ids = graph.held().tensors().get("bert.embeddings.position_ids");
        assertEquals(Graph.InputKind.BUFFER, ids.kind());
        assertEquals(DType.INT64, ids.meta().dtype());
        assertFalse(ids.persistent());
        assertFalse(graph.state().contains("bert.embeddings.position_ids"));
        assertEquals(
                List.of("input_ids", "labels"),
                graph.inputs().stream()
                        .filter(i -> i.kind() == Graph.InputKind.USER)
                        .map(Graph.Input::value)
                        .toList());
    }

    @Test
    void integersThatArgumentsNameAreReplacedByTheirExpressions() {
        Graph graph = Importers.read(Fixtures.model("vit_b_16-i224"));
        assertEquals(36L, graph.ints().get("mul_3").evaluate(Map.of("s77", 3L)));
        long named = graph.nodes().stream()
                .flatMap(n -> n.arguments().stream())
                .filter(a -> a.value() instanceof Argument.Ints ints
                        && ints.values().stream().anyMatch(v -> v.evaluate(Map.of("s77", 3L)) == 36))
                .count();
        assertTrue(named > 0);
        assertNull(graph.values().get("mul_3"));
    }
}
