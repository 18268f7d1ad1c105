package dev.headroom.validation.real;

import dev.headroom.validation.certainty.CertaintyReport;
import dev.headroom.validation.certainty.MeasuredRun;
import dev.headroom.validation.published.XmemReport;
import dev.headroom.validation.published.XmemResult;
import dev.headroom.validation.published.XmemRow;
import dev.headroom.validation.scores.EstimatorScore;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The runs that xMem's authors published, with what four other estimators said of each: a section of the page. */
final class PublishedRuns {
    private PublishedRuns() {}

    static void write(PrintWriter out) {
        List<XmemResult> results = MeasuredRun.all().stream()
                .map(r -> XmemResult.of(r.row(), r.prediction()))
                .toList();
        out.println();
        out.println("## xMem's runs, beside other estimators");
        out.println();
        out.println("129 runs of image models and language models (github.com/Stone-ResearchLife/xMem, one half;"
                + " `fixtures/published/README.md`), PyTorch 2.6, cuDNN 9.1, measured as xMem's authors measure: the"
                + " process alone, without CUDA's context. Figures of the others are those that the authors published"
                + " of the same runs. No constant was learned here, and the rule of older cuDNN was learned from the"
                + " A100's runs above.");
        out.println();
        out.println("| runs | estimator | compared | median error | mean error | verdicts right |");
        out.println("|---|---|---|---|---|---|");
        parts().forEach((name, which) -> {
            List<XmemResult> of =
                    results.stream().filter(r -> which.test(r.row())).toList();
            out.println("| " + name + " | Headroom | " + XmemReport.score(of) + " |");
            for (String other : XmemRow.OTHERS) {
                EstimatorScore score = XmemReport.score(of, other);
                if (score.verdicts().judged() > 0) {
                    out.println("| " + name + " | " + other + " | " + score + " |");
                }
            }
        });
        intervals(out);
    }

    private static void intervals(PrintWriter out) {
        out.println();
        out.println("Intervals of 90 %, asked of calibrations that never saw the model, or the card:");
        out.println();
        out.println("| left out | runs | hold | mean width | of the measurement |");
        out.println("|---|---|---|---|---|");
        out.println("| model | " + CertaintyReport.intervals(CertaintyReport.LeftOutGroup.MODEL, r -> true) + " |");
        out.println("| card | " + CertaintyReport.intervals(CertaintyReport.LeftOutGroup.CARD, r -> true) + " |");
        out.println(
                "| model, xMem calibrated alike | " + CertaintyReport.rivalIntervals("xmem", XmemRow::archive) + " |");
    }

    private static Map<String, Predicate<XmemRow>> parts() {
        Map<String, Predicate<XmemRow>> parts = new LinkedHashMap<>();
        parts.put("all", r -> true);
        parts.put("convolutional networks", r -> r.kind().equals("cnn"));
        parts.put("language models", r -> r.kind().equals("transformer"));
        for (String gpu :
                XmemRow.all().stream().map(XmemRow::gpu).distinct().sorted().toList()) {
            parts.put(gpu, r -> r.gpu().equals(gpu));
        }
        return parts;
    }
}
