package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.units.Mib;
import dev.headroom.validation.scores.EstimatorScore;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Prints every run of the xMem repository, and the errors of all estimators over the same runs, with the workspaces
 * that ship with Headroom, so that every machine prints the same; then what other workspaces change.
 */
public final class XmemReport {

    private XmemReport() {}

    /** Arguments: a word that the names of the runs must have; none for all. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        List<XmemResult> results = new ArrayList<>();
        List<XmemRow> rows = XmemRow.all().stream()
                .filter(row -> arguments.length == 0 || (row.kind() + " " + row.name()).contains(arguments[0]))
                .toList();
        for (XmemRow row : rows) {
            XmemResult r = result(row, XmemReport::shipped);
            results.add(r);
            out.println(line(r));
        }
        out.println();
        out.println("| runs | estimator | compared | median error | mean error | verdicts right |");
        out.println("|---|---|---|---|---|---|");
        table(out, "all", results, r -> true);
        for (String kind : List.of("cnn", "transformer")) {
            table(out, kind, results, r -> r.row().kind().equals(kind));
        }
        for (String gpu : List.of("rtx-3060", "rtx-4060", "a100-40gb")) {
            table(out, gpu, results, r -> r.row().gpu().equals(gpu));
        }
        out.println();
        out.println("| workspaces | runs | compared | median error | mean error | verdicts right |");
        out.println("|---|---|---|---|---|---|");
        variant(out, "shipped rules", results);
        variant(out, "none", results(rows, run -> run.with(CUDNN_WORKSPACE, CudnnWorkspace.NONE)));
        askedSource(rows)
                .ifPresent(source -> variant(out, "asked: " + source, results(rows, UnaryOperator.identity())));
        out.println();
        out.println(
                results.stream().filter(r -> r.comparable() && r.explained()).count() + " of "
                        + results.stream().filter(XmemResult::comparable).count()
                        + " differ by no more than the base line's and the libraries' uncertainty");
    }

    private static Scenario shipped(Scenario run) {
        return run.with(CUDNN_WORKSPACE, CudnnWorkspace.from(Scenario.Workspaces.DISTILLED));
    }

    private static XmemResult result(XmemRow row, UnaryOperator<Scenario> workspaces) {
        PredictionRequest request = row.request();
        return XmemResult.of(row, Predictor.predict(request.with(workspaces.apply(request.scenario()))));
    }

    private static List<XmemResult> results(List<XmemRow> rows, UnaryOperator<Scenario> workspaces) {
        return rows.parallelStream().map(row -> result(row, workspaces)).toList();
    }

    /** Who answers as cuDNN does on this class path: an installed cuDNN, or recorded answers; empty when nobody. */
    private static Optional<String> askedSource(List<XmemRow> rows) {
        return rows.stream()
                .filter(row -> row.kind().equals("cnn"))
                .findFirst()
                .map(row -> Predictor.predict(row.request()).convolutions())
                .filter(c -> c != null && c.count(WorkspaceLevel.ASKED.label()) > 0)
                .map(Prediction.Convolutions::source);
    }

    private static void variant(PrintStream out, String name, List<XmemResult> results) {
        out.println("| " + name + " | all | " + score(results) + " |");
        List<XmemResult> cnn =
                results.stream().filter(r -> r.row().kind().equals("cnn")).toList();
        out.println("| " + name + " | cnn | " + score(cnn) + " |");
    }

    private static String line(XmemResult r) {
        XmemRow row = r.row();
        String difference = r.comparable()
                ? String.format(Locale.ROOT, "%+6.2f %% %+7.1f", 100 * r.error(), Mib.of(r.reserved() - row.ground()))
                : (row.oom() ? "OOM" : "fits") + ", predicted " + (r.oom() ? "OOM" : "fits");
        return String.format(
                Locale.ROOT,
                "%-58s measured %8.1f predicted %8.1f start %7.1f %s",
                row.name(),
                Mib.of(row.ground()),
                Mib.of(r.reserved()),
                Mib.of(r.atStart()),
                difference);
    }

    private static void table(PrintStream out, String name, List<XmemResult> all, Predicate<XmemResult> which) {
        List<XmemResult> results = all.stream().filter(which).toList();
        out.println("| " + name + " | Headroom | " + score(results) + " |");
        for (String other : XmemRow.OTHERS) {
            EstimatorScore score = score(results, other);
            if (score.verdicts().judged() > 0) {
                out.println("| " + name + " | " + other + " | " + score + " |");
            }
        }
    }

    /** Headroom's score. */
    public static EstimatorScore score(List<XmemResult> results) {
        return EstimatorScore.of(
                "Headroom", results.stream().map(XmemResult::answer).toList());
    }

    /** Another estimator's score over those of the runs that it supports. */
    public static EstimatorScore score(List<XmemResult> results, String other) {
        return EstimatorScore.of(
                other,
                results.stream()
                        .map(r -> r.row().answers().get(other))
                        .filter(Objects::nonNull)
                        .toList());
    }
}
