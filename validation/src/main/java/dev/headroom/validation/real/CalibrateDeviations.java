package dev.headroom.validation.real;

import dev.headroom.estimator.certainty.Certainty;
import dev.headroom.estimator.certainty.Deviations;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.validation.certainty.MeasuredRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes the calibration that ships: {@code
 * estimator/engine/src/main/resources/dev/headroom/estimator/certainty/deviations.csv}, from every published run of
 * xMem and from one run of each model on real cards. To be repeated when predictions change.
 */
public final class CalibrateDeviations {
    private CalibrateDeviations() {}

    /** Arguments: the file to write, the folder of runs on real cards, and which of its sets count. */
    public static void main(String[] arguments) throws IOException {
        List<String> out = new ArrayList<>(List.of(
                "# How far measurements on real GPUs lay outside of what was predicted:"
                        + " model,optimizer,batch,kind or set,card,deviation."
                        + " Of fixtures/published/xmem.csv every run, of fixtures/real one of each model.",
                "# Written by dev.headroom.validation.real.CalibrateDeviations;"
                        + " dev.headroom.estimator.certainty.Deviations says what a deviation is."));
        MeasuredRun.comparable()
                .forEach(r -> out.add(line(
                        r.row().archive(),
                        r.row().optimizer().option(),
                        r.row().batch(),
                        r.row().kind(),
                        r.row().gpu(),
                        r.deviation())));
        Path folder = Path.of(arguments[1]);
        for (RealSet set : RealSets.of(folder, List.of(folder.resolve("archives")), arguments[2])) {
            out.addAll(lines(set));
        }
        Files.write(Path.of(arguments[0]), out);
    }

    /**
     * Of each model the run in the middle of those that ran: what the runs of a model deviate by has one cause, and
     * they would count as many.
     */
    private static List<String> lines(RealSet set) {
        Map<String, List<RealRun>> models = new LinkedHashMap<>();
        set.runs().stream()
                .filter(r -> r.fate() == RealRun.Fate.FITS && r.measured() > 0)
                .forEach(r -> models.computeIfAbsent(r.group(), g -> new ArrayList<>())
                        .add(r));
        List<RealRun> middle =
                models.values().stream().map(runs -> runs.get(runs.size() / 2)).toList();
        long constant = RealScore.of(new RealSet(set.name(), set.gpu(), set.usable(), middle, set.left()))
                .constant();
        return middle.parallelStream().map(r -> line(set, r, constant)).toList();
    }

    private static String line(RealSet set, RealRun run, long constant) {
        PredictionRequest request = run.request().get().unbounded();
        Certainty certainty = Predictor.predict(request).certainty();
        return line(
                run.group(),
                ScenarioSettings.OPTIMIZER.get(request.scenario()).option(),
                ScenarioSettings.BATCH.get(request.scenario()),
                set.name(),
                set.gpu(),
                Deviations.of(certainty.reserved(), run.measured() - constant));
    }

    private static String line(String model, String optimizer, long batch, String kind, String gpu, double deviation) {
        return String.format(Locale.ROOT, "%s,%s,%d,%s,%s,%.4f", model, optimizer, batch, kind, gpu, deviation);
    }
}
