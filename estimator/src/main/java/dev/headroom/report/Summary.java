package dev.headroom.report;

import dev.headroom.predict.Prediction;
import java.io.PrintWriter;

/** A prediction on one terminal screen. */
public final class Summary {
    private Summary() {}

    /** Writes the summary. */
    public static void write(Prediction p, Style style, PrintWriter out) {
        out.println(style.strong(p.model()) + " " + Scenario.words(p.run()));
        out.println(Mib.text(p.peak().allocated()));
    }
}
