package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.NEW_BATCHES;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_BEFORE_BACKWARD;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.scores.Answer;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import dev.headroom.validation.scores.Verdicts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A run of the xMem repository: what was trained, what NVML saw, and what four estimators said.
 *
 * @param kind {@code cnn} or {@code transformer}
 * @param gpu name in the catalogue
 * @param totalBytes of the card that was measured, as PyTorch told them
 * @param archive of the model, in {@code models/xmem}
 * @param gradientsLiveThroughForward {@code zero_grad()} was called between the loss and the backward pass (mode 1)
 * @param ground highest use of the device less the use at the start, bytes; a lower bound when memory ran out
 * @param oom whether memory ran out
 * @param estimates of others, by name
 */
public record XmemRow(
        String kind,
        String gpu,
        long totalBytes,
        String model,
        String archive,
        OptimizerKind optimizer,
        long batch,
        boolean gradientsLiveThroughForward,
        long ground,
        boolean oom,
        Map<String, Estimate> estimates) {
    /** The version of the published runs. */
    public static final TorchVersion TORCH = TorchVersion.of("2.6");

    /** The estimators that the xMem repository compares. */
    public static final List<String> OTHERS = List.of("xmem", "dnnmem", "schedtune", "llmem");

    private static final int STEPS = 4;

    /** What an estimator said: bytes, and whether memory would run out. */
    public record Estimate(double bytes, boolean oom) {}

    /** All runs, in the file's order. */
    public static List<XmemRow> all() {
        try {
            List<String> lines =
                    Files.readAllLines(Fixtures.folder().resolve("published").resolve("xmem.csv"));
            List<String> header = Arrays.asList(lines.get(0).split(","));
            return lines.stream()
                    .skip(1)
                    .map(line -> of(header, line.split(",", -1)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static XmemRow of(List<String> header, String[] fields) {
        UnaryOperator<String> f = column -> fields[header.indexOf(column)];
        Map<String, Estimate> estimates = new TreeMap<>();
        for (String name : OTHERS) {
            String bytes = f.apply(name + "_bytes");
            if (!bytes.isEmpty() && Double.parseDouble(bytes) > 0) { // -1: the model is not supported
                estimates.put(
                        name, new Estimate(Double.parseDouble(bytes), Boolean.parseBoolean(f.apply(name + "_oom"))));
            }
        }
        return new XmemRow(
                f.apply("kind"),
                f.apply("gpu"),
                Long.parseLong(f.apply("total_bytes")),
                f.apply("model"),
                f.apply("archive"),
                OptimizerKind.named(f.apply("optimizer")).orElseThrow(),
                Long.parseLong(f.apply("batch")),
                f.apply("zero_grad_mode").equals("1"),
                Long.parseLong(f.apply("ground_bytes")),
                Boolean.parseBoolean(f.apply("real_oom")),
                estimates);
    }

    /** The question that Headroom answers for this run. */
    public PredictionRequest request() {
        Scenario run = Scenario.defaults()
                .with(BATCH, batch)
                .with(OPTIMIZER, optimizer)
                .with(ScenarioSettings.STEPS, STEPS)
                .with(ScenarioSettings.TORCH, TORCH)
                .with(NEW_BATCHES, true)
                .with(ZERO_GRAD_BEFORE_BACKWARD, gradientsLiveThroughForward);
        Gpu card = GpuCatalogue.find(gpu).orElseThrow();
        return new PredictionRequest(
                Importers.read(Fixtures.models().resolve("xmem").resolve(archive + ".pt2")),
                run.withDevice(new DeviceBudget(card, totalBytes, 0, null)));
    }

    /** What the other estimators said, for scores; none of an estimator that does not support the model. */
    public Map<String, Answer> answers() {
        Map<String, Answer> out = new TreeMap<>();
        estimates.forEach((name, said) -> out.put(
                name,
                new Answer(
                        oom || said.oom() ? null : new Peak(Quantity.RESERVED, Math.round(said.bytes()), ground),
                        new Verdicts.Verdict(oom, said.oom(), null))));
        return out;
    }

    /** A short name. */
    public String name() {
        return model + " " + optimizer.option() + " " + batch + " " + gpu
                + (gradientsLiveThroughForward ? " mode 1" : "");
    }
}
