package dev.headroom.validation.real;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.scenario.FeedSettings;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;
import java.util.Map;

/** Perceptrons of GPUMemNet on an A100: columns script, input, output, depth, architecture, batch and what follows. */
final class Perceptrons implements RealFile {
    /** Samples of the data set that both programs make ({@code --num_samples}). */
    private static final int SAMPLES = 4096;

    /** An epoch's full batches that are played; what further ones add was looked for and is nothing. */
    private static final long FULL_BATCHES = 20;

    private static final int LARGEST = 1 << 20;

    private static final int DEEPEST = 100;

    private static final int EPOCHS = 6;
    private static final long BIN = 1 << 30;
    private static final String REFUSED = " stop at the first loss, which PyTorch refuses";

    @Override
    public boolean reads(CsvRows rows) {
        return rows.has("script", "input", "output", "depth", "architecture", "batch", "nvidia_smi_mib");
    }

    @Override
    public RealSet set(CsvRows rows, Archives archives) {
        List<RealRun> runs = rows.rows().stream()
                .filter(row -> !refused(row))
                .map(Perceptrons::run)
                .toList();
        int left = rows.rows().size() - runs.size();
        return new RealSet(
                "perceptrons", "a100-40gb", A100_USABLE, runs, left == 0 ? List.of() : List.of(left + REFUSED));
    }

    /** The first program gives BCEWithLogitsLoss labels of another shape than the scores, which it refuses. */
    private static boolean refused(CsvRows.Row row) {
        return row.number("script") == 1 && row.number("output") == 1;
    }

    private static RealRun run(CsvRows.Row row) {
        PerceptronModel model = new PerceptronModel(
                row.number("script") == 2,
                row.size("input", LARGEST),
                row.size("output", LARGEST),
                row.size("depth", DEEPEST),
                row.text("architecture"),
                row.text("activation"),
                row.number("use_dropout") == 1,
                row.number("use_batch_norm") == 1);
        long batch = row.size("batch", LARGEST);
        return new RealRun(
                "line " + row.line(),
                "line " + row.line(),
                () -> new PredictionRequest(model.graph(), scenario(model, batch)),
                row.number("nvidia_smi_mib") << 20,
                RealRun.Fate.FITS,
                Map.of(
                        "GPUMemNet were its bins of 1 GB always right",
                        middleOfBin(row.number("nvidia_smi_mib") << 20)));
    }

    /**
     * The middle of a measurement's bin: GPUMemNet says which bin a network falls into, here 1 GB wide, and is right on
     * 97.6 % of networks (its repository, Ensemble/k_fold_results). Nobody with such bins can be nearer.
     */
    private static long middleOfBin(long measured) {
        return measured / BIN * BIN + BIN / 2;
    }

    private static Scenario scenario(PerceptronModel model, long batch) {
        long full = SAMPLES / batch;
        long rest = SAMPLES % batch;
        int steps = Math.toIntExact(Math.min(full, FULL_BATCHES) + (rest > 0 ? 1 : 0));
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.ADAM)
                .with(ScenarioSettings.TORCH, TorchVersion.of("2.4"))
                .with(ScenarioSettings.BATCH, full == 0 ? rest : batch)
                .with(ScenarioSettings.STEPS, steps)
                .with(ScenarioSettings.LOSS, model.output() == 1 ? LossKind.BCE : LossKind.CROSS_ENTROPY)
                .with(FeedSettings.DATA, DataKind.UNPACKED)
                .with(FeedSettings.LAST_BATCH, full > 0 && rest > 0 ? rest : null)
                .with(FeedSettings.EPOCHS, EPOCHS)
                .with(FeedSettings.SUMMARY, true);
        return run.on(GpuCatalogue.find("a100-40gb").orElseThrow());
    }
}
