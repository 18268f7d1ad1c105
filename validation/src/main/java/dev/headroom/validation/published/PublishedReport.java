package dev.headroom.validation.published;

import dev.headroom.predict.Prediction;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints the published systems' figures beside Headroom's, as a table of Markdown. */
public final class PublishedReport {
    private PublishedReport() {}

    /** Every figure of every system. */
    public static List<Figure> figures() {
        List<Figure> all = new ArrayList<>();
        all.addAll(Perceptron.figures());
        all.addAll(LayerLog.figures());
        all.addAll(LargeHeads.figures());
        all.addAll(SequenceModel.figures());
        all.addAll(LeastMemory.figures());
        return all;
    }

    public static void main(String[] arguments) {
        PrintStream out = System.out;
        out.println("| system | figure | predicted MiB | published MiB | difference | mechanism of the difference |");
        out.println("|---|---|---|---|---|---|");
        figures().forEach(f -> out.println(f.row()));
        Prediction.Oom oom = Perceptron.plain().oom();
        out.println();
        out.println(String.format(
                Locale.ROOT,
                "P1: the best of the published numbers of segments is %d; without checkpoints %s.",
                Perceptron.best(),
                oom == null ? "the run fits" : "a request of " + (oom.requested() >> 20) + " MiB fails"));
    }
}
