package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one may do about too much memory, in two of the published systems.
 *
 * <p>P4: the ResNet-18 of {@link LayerLog} plainly, in three chunks of {@code checkpoint_sequential}, in mixed
 * precision with SGD, and both (2019). NVIDIA apex's O1 is played as PyTorch's autocast: both cast the inputs of the
 * same layers, keep the weights in fp32 and each cast weight once an iteration; that apex keeps those 22 MiB until the
 * backward pass is over shows in no peak.
 *
 * <p>P6: a DenseNet-169 on X-rays of 512 x 512 in batches of 8 (2022), for which no figures were published; on
 * several cards in {@link XRays}.
 */
public final class Remedies {
    private static final List<String> CARDS = List.of("rtx-2080-super", "rtx-2080-ti", "v100-16gb");

    private Remedies() {}

    private static final Map<String, UnaryOperator<Scenario>> MIXED = new LinkedHashMap<>();
    private static final Map<String, UnaryOperator<Scenario>> X_RAYS = new LinkedHashMap<>();

    static {
        UnaryOperator<Scenario> chunks = run -> run.with(CHECKPOINT, 3).with(REENTRANT, true);
        UnaryOperator<Scenario> precision =
                run -> run.with(AMP, DType.FLOAT16).with(OPTIMIZER, OptimizerKind.SGD_MOMENTUM);
        MIXED.put("plain", UnaryOperator.identity());
        MIXED.put("three chunks", chunks);
        MIXED.put("mixed precision", precision);
        MIXED.put("both", run -> chunks.apply(precision.apply(run)));
        X_RAYS.put("plain", UnaryOperator.identity());
        X_RAYS.put("dense blocks checkpointed", run -> run.with(CHECKPOINT_MODULES, List.of("features.denseblock*")));
        X_RAYS.put(
                "dense layers checkpointed",
                run -> run.with(CHECKPOINT_MODULES, List.of("features.denseblock*.denselayer*")));
        X_RAYS.put("mixed precision", run -> run.with(AMP, DType.FLOAT16));
    }

    /** P4: one step with a batch of 128, by remedy. */
    public static Map<String, Prediction> mixed() {
        Map<String, Prediction> out = new LinkedHashMap<>();
        MIXED.forEach((name, options) -> out.put(
                name,
                Runs.predict(Runs.request(
                        "published/resnet18-sequential",
                        "v100-16gb",
                        run -> options.apply(run.with(TORCH, TorchVersion.of("1.8"))
                                .with(BATCH, 128L)
                                .with(STEPS, 1)
                                .with(LOSS, LossKind.SUM)
                                .with(OPTIMIZER, OptimizerKind.NONE))))));
        return out;
    }

    /** P6: two steps, by remedy, without a card that limits them. */
    public static Map<String, Prediction> xRays(long batch) {
        Map<String, Prediction> out = new LinkedHashMap<>();
        X_RAYS.forEach((name, options) -> out.put(name, xRay(options, CARDS.get(0), batch, 64L << 30)));
        return out;
    }

    /** P6: what a remedy changes. */
    static UnaryOperator<Scenario> remedy(String name) {
        return Objects.requireNonNull(X_RAYS.get(name), name);
    }

    /** P6 on one card, or on several alike. */
    static Prediction xRay(UnaryOperator<Scenario> options, String card, long batch, @Nullable Long memory) {
        return Runs.predict(Runs.request(
                "densenet169-i512",
                card,
                memory,
                0,
                run -> options.apply(run.with(TORCH, TorchVersion.of("1.10"))
                        .with(BATCH, batch)
                        .with(STEPS, 2))));
    }

    /** The largest batch of P6 that gets through on a card. */
    static long largestBatch(String remedy, String card) {
        UnaryOperator<Scenario> options = remedy(remedy);
        long fits = 0;
        long fails = 1;
        while (xRay(options, card, fails, null).oom() == null) {
            fits = fails;
            fails *= 2;
        }
        while (fails - fits > 1) {
            long middle = (fits + fails) / 2;
            if (xRay(options, card, middle, null).oom() == null) {
                fits = middle;
            } else {
                fails = middle;
            }
        }
        return fits;
    }

    /** Both tables, as Markdown. */
    static List<String> tables() {
        List<String> out = new ArrayList<>();
        out.add("| system | run | allocated MiB | reserved MiB | of plain | largest batch on "
                + String.join(", ", CARDS) + " |");
        out.add("|---|---|---|---|---|---|");
        Map<String, Prediction> whole = xRays(8);
        Prediction plain = Objects.requireNonNull(whole.get("plain"));
        Map<String, Prediction> mixed = mixed();
        Prediction single = Objects.requireNonNull(mixed.get("plain"));
        mixed.forEach((name, p) -> out.add(row("P4", name, p, single, "")));
        whole.forEach((name, p) -> out.add(row("P6", name, p, plain, batches(name))));
        out.add("");
        out.addAll(XRays.table());
        return out;
    }

    private static String row(String system, String name, Prediction p, Prediction plain, String batches) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.0f | %.0f | %.1f %% | %s |",
                system,
                name,
                Mib.of(p.peak().allocated()),
                Mib.of(p.peak().reserved()),
                100.0 * p.peak().allocated() / plain.peak().allocated(),
                batches);
    }

    private static String batches(String remedy) {
        return String.join(
                ", ",
                CARDS.stream()
                        .map(card -> String.valueOf(largestBatch(remedy, card)))
                        .toList());
    }
}
