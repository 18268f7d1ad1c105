package dev.headroom.validation.real;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.FeedSettings;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.OptimizerSettings;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** timm's models in timm's training script on an A100: columns model, batch, nvidia_smi_mib, state, fake_tensor_mib. */
final class ImageModels implements RealFile {
    private static final int STEPS = 3;

    private static final int LARGEST_BATCH = 1 << 20;

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
        for (CsvRows.Row row : rows.rows()) {
            Optional<Path> archive = archives.find(row.text("model"));
            if (row.text("state").equals("failed")) {
                failed++;
            } else if (archive.isEmpty()) {
                missing.add(row.text("model"));
                without++;
            } else {
                runs.add(run(row, archive.get()));
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
     * What certainly became of a run. Of the file's states only "fits" is a reading: the others are inferred from
     * readings at other batches. FakeTensor's estimate counts the tensors of one step and nothing else, so a run that
     * read less did not finish a step; it ran out of memory for certain where those tensors alone exceed the card, or
     * where the file says so and they exceed half of it. Whether a smaller one that stopped had run out is not known.
     */
    static RealRun.Fate fate(String state, long measuredMib, double tensorsMib) {
        if (tensorsMib * Bytes.MIB > A100_USABLE) {
            return RealRun.Fate.RAN_OUT;
        }
        if (measuredMib >= tensorsMib) {
            return state.equals("fits") ? RealRun.Fate.FITS : RealRun.Fate.EDGE;
        }
        return state.equals("oom") && tensorsMib * Bytes.MIB > A100_USABLE / 2.0
                ? RealRun.Fate.RAN_OUT
                : RealRun.Fate.EDGE;
    }

    private static RealRun run(CsvRows.Row row, Path archive) {
        long batch = row.size("batch", LARGEST_BATCH);
        long measured = row.number("nvidia_smi_mib");
        String fake = row.text("fake_tensor_mib");
        double tensors = fake.isEmpty() ? 0 : row.decimal("fake_tensor_mib");
        return new RealRun(
                row.text("model") + " batch " + batch,
                row.text("model"),
                () -> new PredictionRequest(Archives.read(archive), scenario(batch)),
                measured << 20,
                fate(row.text("state"), measured, tensors),
                fake.isEmpty() ? Map.of() : Map.of("FakeTensor", Math.round(tensors * Bytes.MIB)));
    }

    private static Scenario scenario(long batch) {
        return Scenario.defaults()
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD_MOMENTUM)
                .with(OptimizerSettings.NESTEROV, true)
                .with(OptimizerSettings.WEIGHT_DECAY, true)
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
