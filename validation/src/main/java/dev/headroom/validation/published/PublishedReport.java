package dev.headroom.validation.published;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Prints the published systems' figures beside Headroom's, as a table of Markdown. */
public final class PublishedReport {
    private PublishedReport() {}

    /** Every figure of every system. */
    public static List<Figure> figures() {
        List<Figure> all = new ArrayList<>();
        all.addAll(Perceptron.figures());
        all.addAll(HandPlaced.figures());
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
        out.println();
        Perceptron.remarks().forEach(out::println);
    }
}
