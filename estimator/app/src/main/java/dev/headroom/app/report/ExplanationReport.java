package dev.headroom.app.report;

import dev.headroom.advisor.explain.Explanation;
import dev.headroom.advisor.explain.Finding;
import dev.headroom.estimator.predict.Prediction;
import java.io.PrintWriter;
import java.util.regex.Pattern;

/** An explanation on a terminal. */
public final class ExplanationReport {
    private static final int WIDTH = 79;

    private static final char NO_BREAK = '\u00a0';
    private static final Pattern UNIT = Pattern.compile("(?<=[0-9]) (?=(bytes?|KiB|MiB|GiB|%))");

    private ExplanationReport() {}

    /** Writes lines of at most 79 characters. */
    public static void write(Explanation explanation, Style style, PrintWriter out) {
        Prediction p = explanation.run().prediction();
        Wrap.lines(p.model() + ": " + ScenarioText.words(p.run()), WIDTH, "  ").forEach(out::println);
        for (Finding finding : explanation.findings()) {
            out.println();
            Wrap.lines(finding.question(), WIDTH, "").forEach(line -> out.println(style.strong(line)));
            for (String sentence : finding.answer()) {
                Wrap.lines(together(sentence), WIDTH - 2, "  ")
                        .forEach(line -> out.println("  " + line.replace(NO_BREAK, ' ')));
            }
        }
        if (!explanation.remarks().isEmpty()) {
            out.println();
        }
        for (String remark : explanation.remarks()) {
            Wrap.lines("warning: " + remark, WIDTH, "  ").forEach(line -> out.println(style.faint(line)));
        }
    }

    /** No line ends between a number and its unit. */
    private static String together(String sentence) {
        return UNIT.matcher(sentence).replaceAll(String.valueOf(NO_BREAK));
    }
}
