package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.choice;
import static dev.headroom.model.scenario.ValueFormats.count;
import static dev.headroom.model.scenario.ValueFormats.positive;

import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.feed.DataKind;
import dev.headroom.model.feed.Feeding;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.units.OptionNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The settings of loaders and of passes beside the steps: rows of the table that {@link ScenarioSettings} is. */
public final class FeedSettings {
    private static final int MOST_EPOCHS = 100;

    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<Feeding> FEEDING = new ScenarioPart<>(Scenario::feeding, Scenario::withFeeding);

    /** Scenarios that programs put together have one batch; a loop that users ask about has a loader. */
    public static final Setting<DataKind> DATA = row(Setting.of("data", FEEDING, Feeding::data, Feeding::withData)
            .written(
                    choice(List.of(DataKind.values()), OptionNames::of),
                    "KIND",
                    "Where batches come from: loader (default: each step brings one, the one before lives until its"
                            + " names are bound again), unpacked (for x, y in loader: it is gone by then), one (serves"
                            + " all steps), prefetch (on a stream of its own) or timm (whose images come as bytes).")
            .unwritten(run -> plain(run) ? DataKind.LOADER : DataKind.ONE)
            .onlyIf(FeedSettings::plain, "only on one GPU, in a loop of your own"));

    public static final Setting<Long> LAST_BATCH =
            row(Setting.of("last_batch", FEEDING, Feeding::lastBatch, Feeding::withLastBatch)
                    .written(positive(), "N", "Samples of an epoch's last batch, that of the last step.")
                    .trainsWith(samples -> samples != null)
                    .onlyIf(
                            s -> s.feeding().brings() && s.loop().accumulate() == 1,
                            "it needs `data=loader`, and no `accumulate`"));

    public static final Setting<Integer> EPOCHS =
            row(Setting.of("epochs", FEEDING, Feeding::epochs, Feeding::withEpochs)
                    .written(count(MOST_EPOCHS), "N", "How often all `steps` are played (default 1).")
                    .trainsWith(epochs -> epochs > 1)
                    .onlyIf(FeedSettings::single, "only on one GPU"));

    public static final Setting<Boolean> SUMMARY =
            row(Setting.of("summary", FEEDING, Feeding::summary, Feeding::withSummary)
                    .written(FLAG, "", "A forward pass over two samples first, as torchsummary runs it.")
                    .trainsWith(given -> given)
                    .onlyIf(FeedSettings::single, "only on one GPU"));

    private static final ScenarioPart<Kernels> KERNELS = new ScenarioPart<>(Scenario::kernels, Scenario::withKernels);

    public static final Setting<CudnnVersion> CUDNN =
            row(Setting.of("cudnn", KERNELS, Kernels::cudnn, Kernels::withCudnn)
                    .written(
                            ValueFormat.one(
                                    FeedSettings::cudnn,
                                    CudnnVersion::toString,
                                    version -> version == null ? null : version.toString(),
                                    List.of()),
                            "VERSION",
                            "cuDNN version to model (default that of PyTorch's packages); `cudnn_benchmark`"
                                    + " chooses otherwise before 9.8."));

    private FeedSettings() {}

    /** Whether a script's own loop runs on one GPU, so that it is the script which brings batches. */
    private static boolean plain(Scenario run) {
        return single(run)
                && !run.trainer().loop().isTrainer()
                && !run.generation().any();
    }

    private static boolean single(Scenario run) {
        return run.parallel().kind() == ParallelKind.SINGLE;
    }

    private static CudnnVersion cudnn(String text) {
        return CudnnVersion.of(text)
                .orElseThrow(
                        () -> new BadValue("'" + text + "' is not a version; write it like " + CudnnVersion.NEWEST));
    }

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every one of them. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL);
    }
}
