package dev.headroom.validation.real;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymExpr;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The largest batch that runs, and the next that does not: columns model, layout, image_size, largest_batch,
 * next_batch_failed (timm's benchmark.py --bench train --amp). Archives are called NAME@SIZE, their attention written
 * out as timm did then; without attention, those of the same size by the model's name serve as well.
 */
final class BatchLadder implements RealFile {
    private static final int STEPS = 3;

    /** Batches that are tried, one after another (timm, benchmark.py, _try_run and decay_batch_step). */
    private static final List<Long> RUNGS =
            List.of(512L, 384L, 256L, 192L, 128L, 96L, 64L, 48L, 32L, 24L, 16L, 12L, 8L, 6L, 4L, 3L, 2L, 1L);

    @Override
    public boolean reads(CsvRows rows) {
        return rows.has("model", "layout", "image_size", "largest_batch", "next_batch_failed");
    }

    @Override
    public RealSet set(CsvRows rows, Archives archives) {
        Gpu card = GpuCatalogue.find("rtx-3090").orElseThrow();
        List<RealRun> runs = new ArrayList<>();
        int without = 0;
        Map<String, Boolean> serves = new HashMap<>();
        for (CsvRows.Row row : rows.rows()) {
            Optional<Path> archive = archives.find(row.text("model") + "@" + row.text("image_size"))
                    .or(() -> archives.find(row.text("model"))
                            .filter(a -> serves.computeIfAbsent(
                                    a + "@" + row.text("image_size"),
                                    k -> serves(Archives.read(a), row.number("image_size")))));
            if (archive.isEmpty()) {
                without++;
                continue;
            }
            runs.add(run(row, archive.get(), card, "largest_batch", RealRun.Fate.FITS));
            if (!row.text("next_batch_failed").isEmpty()) {
                runs.add(run(row, archive.get(), card, "next_batch_failed", RealRun.Fate.RAN_OUT));
            }
        }
        return new RealSet(
                "ladder",
                "rtx-3090",
                card.memory(),
                runs,
                without == 0 ? List.of() : List.of(without + " rows without an archive"));
    }

    /** Whether an archive that was made for another set is of the same images, and has no attention to write out. */
    private static boolean serves(Graph graph, long imageSize) {
        boolean same = graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.USER)
                .map(in -> graph.meta(in.value()).sizes())
                .allMatch(sizes -> sizes.get(sizes.size() - 1).equals(SymExpr.of(imageSize)));
        return same && graph.nodes().stream().noneMatch(n -> n.operator().equals("aten.scaled_dot_product_attention"));
    }

    private static RealRun run(CsvRows.Row row, Path archive, Gpu card, String column, RealRun.Fate fate) {
        long batch = row.number(column);
        int rung = RUNGS.indexOf(batch) + (fate == RealRun.Fate.FITS ? 1 : -1);
        boolean more = RUNGS.contains(batch) && rung >= 0 && rung < RUNGS.size();
        return run(row, archive, card, batch, fate, more ? run(row, archive, card, RUNGS.get(rung), fate, null) : null);
    }

    private static RealRun run(
            CsvRows.Row row, Path archive, Gpu card, long batch, RealRun.Fate fate, @Nullable RealRun further) {
        String name = row.text("model") + " " + row.text("image_size") + " " + row.text("layout");
        Scenario run = Scenario.defaults()
                .with(ScenarioSettings.OPTIMIZER, OptimizerKind.SGD_MOMENTUM)
                .with(OptimizerSettings.NESTEROV, true)
                .with(ScenarioSettings.TORCH, TorchVersion.of("1.12"))
                .with(ScenarioSettings.AMP, DType.FLOAT16)
                .with(ScenarioSettings.CHANNELS_LAST, row.text("layout").equals("nhwc"))
                .with(ScenarioSettings.BATCH, batch)
                .with(ScenarioSettings.STEPS, STEPS)
                .with(ScenarioSettings.LOSS, LossKind.CROSS_ENTROPY)
                .with(ScenarioSettings.CUDNN_BENCHMARK, true)
                .with(ScenarioSettings.CUDNN_WORKSPACE, CudnnWorkspace.from(Scenario.Workspaces.DISTILLED))
                .with(FeedSettings.EPOCHS, 1)
                .on(card);
        return new RealRun(
                name + " batch " + batch,
                name,
                () -> new PredictionRequest(Archives.read(archive), run),
                0,
                fate,
                Map.of(),
                further,
                RealRun.Figure.DEVICE);
    }
}
