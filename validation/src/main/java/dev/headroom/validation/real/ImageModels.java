package dev.headroom.validation.real;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.FeedSettings;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** timm's models in timm's training script on an A100: columns model, batch, nvidia_smi_mib, state, fake_tensor_mib. */
final class ImageModels implements RealFile {
    private static final int STEPS = 3;
    private static final double LESS = 0.98;

    @Override
    public boolean reads(CsvRows rows) {
        return rows.has("model", "batch", "nvidia_smi_mib", "state", "fake_tensor_mib");
    }

    @Override
    public RealSet set(CsvRows rows, Archives archives) {
        List<RealRun> runs = new ArrayList<>();
        Set<String> missing = new TreeSet<>();
        int failed = 0;
        int without = 0;
        Map<String, Long> highest = new HashMap<>();
        for (CsvRows.Row row : rows.rows()) {
            Optional<Path> archive = archives.find(row.text("model"));
            if (row.text("state").equals("failed")) {
                failed++;
            } else if (archive.isEmpty()) {
                missing.add(row.text("model"));
                without++;
            } else {
                runs.add(run(row, archive.get(), fate(row, highest)));
            }
        }
        List<String> left = new ArrayList<>();
        if (failed > 0) {
            left.add(failed + " never trained");
        }
        if (without > 0) {
            left.add(without + " of " + missing.size() + " models without an archive");
        }
        return new RealSet("timm", "a100-40gb", A100_USABLE, runs, left);
    }

    /**
     * What the file says; but where a larger batch reads less than a smaller one, it is not certain what it did: the
     * file compares with the next smaller batch alone.
     */
    private static RealRun.Fate fate(CsvRows.Row row, Map<String, Long> highest) {
        long measured = row.number("nvidia_smi_mib");
        long before = highest.merge(row.text("model"), measured, Math::max);
        return switch (row.text("state")) {
            case "oom" -> RealRun.Fate.RAN_OUT;
            case "fits" -> measured < LESS * before ? RealRun.Fate.EDGE : RealRun.Fate.FITS;
            default -> RealRun.Fate.EDGE;
        };
    }

    private static RealRun run(CsvRows.Row row, Path archive, RealRun.Fate fate) {
        long batch = row.number("batch");
        String fake = row.text("fake_tensor_mib");
        return new RealRun(
                row.text("model") + " batch " + batch,
                row.text("model"),
                () -> new PredictionRequest(Archives.read(archive), scenario(batch)),
                row.number("nvidia_smi_mib") << 20,
                fate,
                fake.isEmpty() ? Map.of() : Map.of("FakeTensor", Math.round(Double.parseDouble(fake) * (1 << 20))));
    }

    private static Scenario scenario(long batch) {
        return Scenario.defaults()
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD_MOMENTUM)
                .with(ScenarioSettings.NESTEROV, true)
                .with(ScenarioSettings.WEIGHT_DECAY, true)
                .with(ScenarioSettings.TORCH, TorchVersion.of("2.4"))
                .with(ScenarioSettings.BATCH, batch)
                .with(ScenarioSettings.STEPS, STEPS)
                .with(ScenarioSettings.LOSS, LossKind.LABEL_SMOOTHING)
                .with(FeedSettings.DATA, DataKind.TIMM)
                .with(ScenarioSettings.CUDNN_BENCHMARK, true)
                .with(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.from(Scenario.Workspaces.DISTILLED))
                .on(GpuCatalogue.find("a100-40gb").orElseThrow());
    }
}
