package dev.headroom.validation.real;

import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.RunPlayer;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TrainerSettings;
import dev.headroom.model.trainer.LigerKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Liger-Kernel's measurements of layers, forward and backward in one, of the library's own kernels and of those that it
 * compares with: columns source, model (the layer), gpu, method (whose it is, and which passes), config (what varies
 * and the other sizes, as JSON), peak_bytes and others.
 */
final class LayerRuns implements RealFile {
    private static final String SOURCE = "Liger-Kernel";
    private static final String CARD = "a100-80gb";
    private static final int STEPS = 3;
    /** {@code V=4096 {"B": 8, "T": 2048}}. */
    private static final Pattern SIZES = Pattern.compile("(\\w+)=(\\d{1,18}) (.*)");

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Kernels of Liger that work as they did in the versions that were measured. */
    private static final List<String> MODELLED = List.of("swiglu", "geglu", "cross_entropy");

    /** Whose layers are made of PyTorch's own operators. */
    private static final List<String> STOCK = List.of("huggingface/full", "torch/full");

    @Override
    public boolean reads(CsvRows rows) {
        return rows.has("source", "model", "gpu", "method", "config", "peak_bytes")
                && rows.rows().stream().anyMatch(r -> r.text("source").equals(SOURCE));
    }

    @Override
    public RealSet set(CsvRows rows, Archives archives) {
        List<RealRun> runs = new ArrayList<>();
        int left = 0;
        Gpu card = GpuCatalogue.find(CARD).orElseThrow();
        for (CsvRows.Row row : rows.rows()) {
            if (!row.text("source").equals(SOURCE)) {
                continue;
            }
            Optional<Gpu> own = GpuCatalogue.all().stream()
                    .filter(g -> g.title().equals(row.text("gpu")))
                    .findFirst();
            Optional<Graph> graph = own.isPresent() ? graph(row) : Optional.empty();
            if (graph.isEmpty()) {
                left++;
                continue;
            }
            runs.add(run(row, graph.get(), own.get()));
        }
        return new RealSet(
                "layers", CARD, card.memory(), runs, List.of(left + " rows of other layers, passes or cards"));
    }

    private static Optional<Graph> graph(CsvRows.Row row) {
        boolean stock = STOCK.contains(row.text("method"));
        boolean known = stock || row.text("method").equals("liger/full") && MODELLED.contains(row.text("model"));
        if (!known) {
            return Optional.empty();
        }
        ObjectNode sizes = sizes(row.text("config"));
        DType type = sizes.path("dtype").asText().equals("torch.bfloat16") ? DType.BFLOAT16 : DType.FLOAT32;
        try {
            return BenchmarkedLayer.of(row.text("model"), sizes, type);
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw row.wrong("config", "which makes no layer");
        }
    }

    private static ObjectNode sizes(String config) {
        Matcher parts = SIZES.matcher(config);
        try {
            if (parts.matches() && JSON.readTree(parts.group(3)) instanceof ObjectNode out) {
                return out.put(parts.group(1), Long.parseLong(parts.group(2)));
            }
        } catch (JsonProcessingException e) {
            throw new UserInputException("config '" + config + "' is not sizes of a layer", e);
        }
        throw new UserInputException("config '" + config + "' is not sizes of a layer");
    }

    private static RealRun run(CsvRows.Row row, Graph graph, Gpu card) {
        boolean liger = row.text("method").startsWith("liger");
        Scenario run = Scenario.defaults()
                .on(card)
                .with(OPTIMIZER, OptimizerKind.NONE)
                .with(LOSS, LossKind.OUTPUT)
                .with(ScenarioSettings.STEPS, STEPS)
                .with(TrainerSettings.LIGER, liger);
        if (liger) {
            run = run.with(TrainerSettings.LIGER_KERNELS, List.of(LigerKernel.CROSS_ENTROPY, LigerKernel.SWIGLU));
        }
        Scenario asked = run;
        return new RealRun(
                        "line " + row.line() + ": " + row.text("model") + " " + row.text("method") + " "
                                + row.text("config"),
                        row.text("model"),
                        () -> new PredictionRequest(graph, asked),
                        row.number("peak_bytes"),
                        RealRun.Fate.FITS,
                        Map.of(),
                        null,
                        RealRun.Figure.ALLOCATED)
                .playedBy(LayerRuns::play);
    }

    private static Simulation play(PredictionRequest request) {
        Gpu card = Objects.requireNonNull(request.device().gpu());
        return new RunPlayer(
                        DeviceModel.of(card), AllocatorSettings.parse(""), () -> new SimulatedDeviceMemory(1L << 41, 0))
                .with(List.of(new LayerBenchmark()))
                .play(request.graph(), request.scenario());
    }
}
