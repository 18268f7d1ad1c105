package dev.headroom.app.report;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Interval;
import dev.headroom.estimator.certainty.Span;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.LayerShare;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.device.DeviceLine;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Made-up predictions for tests of reports and of the command line. */
public final class Predictions {
    private static final long MIB = 1 << 20;

    private Predictions() {}

    /** Three steps that fit on a catalogue card, with all there is to show. */
    public static Prediction fitting(Scenario run) {
        Prediction.Device device =
                new Prediction.Device(GpuCatalogue.find("rtx-3090").orElseThrow(), 25447170048L, 0, null);
        return of(run, device, new Prediction.Verdict(true, 20_000 * MIB, null, 3_700 * MIB), null, List.of());
    }

    /** The same without a device. */
    public static Prediction deviceless(Scenario run) {
        return of(run, null, new Prediction.Verdict(null, null, null, 3_700 * MIB), null, List.of());
    }

    /** Out of memory in the first backward pass. */
    public static Prediction failing(Scenario run) {
        Prediction.Device device = new Prediction.Device(null, 2_900 * MIB, 0, 2_900 * MIB);
        OutOfMemory oom = new OutOfMemory(Moment.of(Phase.BACKWARD, 0), "layer1.0.conv1", "aten.conv2d", 32 * MIB);
        return of(run, device, new Prediction.Verdict(false, -800 * MIB, 0.97, 3_700 * MIB), oom, List.of());
    }

    /** The same where no memory is missing: it gets through in less. */
    public static Prediction inPieces(Scenario run) {
        Prediction p = failing(run);
        return of(run, p.device(), new Prediction.Verdict(false, null, 0.97, 2_800 * MIB), p.oom(), List.of());
    }

    /** One that fits, with these warnings. */
    public static Prediction warned(List<String> warnings) {
        Prediction p = fitting(Scenario.defaults());
        return of(p.run(), p.device(), p.verdict(), null, warnings);
    }

    private static Prediction of(
            Scenario run,
            Prediction.Device device,
            Prediction.Verdict verdict,
            OutOfMemory oom,
            List<String> warnings) {
        List<PhaseMemory> phases = new ArrayList<>();
        phases.add(new PhaseMemory(Moment.of(Phase.MODEL), 98 * MIB, 118 * MIB, 98 * MIB, 118 * MIB));
        phases.add(new PhaseMemory(Moment.of(Phase.INPUTS), 116 * MIB, 138 * MIB, 116 * MIB, 138 * MIB));
        Phase[] names = {Phase.ZERO_GRAD, Phase.FORWARD, Phase.LOSS, Phase.BACKWARD, Phase.OPTIMIZER};
        for (int step = 0; step < 3; step++) {
            for (int i = 0; i < names.length; i++) {
                if (oom != null && (step > 0 || i >= 3)) {
                    break;
                }
                long at = (116 + 500L * i + 10 * step) * MIB;
                phases.add(new PhaseMemory(Moment.of(names[i], step), at, at + 20 * MIB, 3034 * MIB, 3368 * MIB));
            }
        }
        Map<Category, Long> atPeak = new EnumMap<>(Category.class);
        for (Category category : Category.values()) {
            atPeak.put(category, (category.ordinal() + 1) * 60 * MIB);
        }
        List<LayerShare> layers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            layers.add(new LayerShare(
                    "a.very.long.module.path.that.does.not.fit.layer" + i,
                    "aten.conv2d",
                    i * 512L,
                    i * 512L,
                    i * 1024L,
                    i * MIB,
                    i * 2 * MIB));
        }
        List<Prediction.Unmodelled> unmodelled =
                warnings.isEmpty() ? List.of() : List.of(new Prediction.Unmodelled("aten.mystery", 3));
        return new Prediction(
                "resnet50",
                run,
                device,
                phases,
                new Prediction.Peak(3034 * MIB, 3368 * MIB, 3790 * MIB, Moment.of(Phase.BACKWARD, 1)),
                atPeak,
                MIB / 2,
                300 * MIB,
                layers,
                verdict,
                oom,
                null,
                warnings,
                unmodelled,
                certainty(),
                List.of(),
                List.of(),
                List.of());
    }

    /** Reserved memory between bounds, and a context of 422 MiB. */
    private static Certainty certainty() {
        return new Certainty(
                List.of(
                        new DeviceLine(DeviceLine.RESERVED, 3200 * MIB, 3368 * MIB, 3368 * MIB, "played"),
                        new DeviceLine(DeviceLine.CONTEXT, 300 * MIB, 422 * MIB, 600 * MIB, "made up")),
                new Span(3200 * MIB, 3368 * MIB),
                new Span(3100 * MIB, 3278 * MIB),
                new Interval(Certainty.LEVEL, 3400 * MIB, 4100 * MIB));
    }
}
