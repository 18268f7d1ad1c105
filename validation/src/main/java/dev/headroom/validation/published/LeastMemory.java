package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.scores.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * P8: how much memory must be free for a ResNet-50 of fastai 1.0 on images of 28 x 28 (2019)? Sizes count from the
 * model on the card, as the source's do. The search for convolution algorithms of the first epoch, 6 GB large, is no
 * need: a workspace that does not fit is passed over. Only a lower bound of it is known, see {@link AlgorithmSearch}.
 */
public final class LeastMemory {
    /** Published MB: the peaks of the first epoch and of the next with room to spare, what fits, and what does not. */
    private record Row(double first, double peak, double fits, double fails) {}

    private static final Map<Long, Row> BATCHES =
            new TreeMap<>(Map.of(512L, new Row(6220, 914, 900, 800), 128L, new Row(3238, 260, 300, 200)));

    private LeastMemory() {}

    private static PredictionRequest request(long batch) {
        return Runs.request(
                "published/fastai-resnet50-i28", "rtx-2080-super", run -> run.with(TORCH, TorchVersion.of("1.0"))
                        .with(BATCH, batch));
    }

    /** All figures; the least memory stands beside the middle between what fits and what does not. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        BATCHES.forEach((batch, row) -> {
            PredictionRequest request = request(batch);
            Prediction p = Runs.predict(request);
            PhaseMemory model = p.phases().get(0);
            long context = p.peak().device() - p.peak().reserved();
            out.add(Figure.of(
                            "P8",
                            "batch " + batch + ", first epoch",
                            Quantity.RESERVED,
                            AlgorithmSearch.atLeast(request) - model.allocated(),
                            row.first,
                            "bounded: what the search of cuDNN 7 tries besides tiled transforms is not known")
                    .atLeast());
            out.add(Figure.of(
                    "P8",
                    "batch " + batch + ", peak after the first epoch",
                    Quantity.RESERVED,
                    p.peak().reserved() - model.reserved(),
                    row.peak,
                    "workspaces of cuDNN 7 that were chosen"));
            out.add(Figure.of(
                    "P8",
                    "batch " + batch + ", least memory",
                    Quantity.RESERVED,
                    Objects.requireNonNull(p.verdict().minimumMemory()) - context - model.reserved(),
                    (row.fits + row.fails) / 2,
                    "published: " + (long) row.fits + " fits, " + (long) row.fails + " does not"));
        });
        return out;
    }
}
