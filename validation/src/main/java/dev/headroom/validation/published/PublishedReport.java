package dev.headroom.validation.published;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Prints the published systems' figures beside Headroom's, as a table of Markdown. */
public final class PublishedReport {
    private PublishedReport() {}

    /** What figures each system has, by the class that predicts them; figures are predicted when they are asked for. */
    public static Map<String, Supplier<List<Figure>>> systems() {
        Map<String, Supplier<List<Figure>>> all = new LinkedHashMap<>();
        all.put("perceptron", Perceptron::figures);
        all.put("checkpoints by hand", HandPlaced::figures);
        all.put("layer log", LayerLog::figures);
        all.put("large heads", LargeHeads::figures);
        all.put("sequence model", SequenceModel::figures);
        all.put("least memory", LeastMemory::figures);
        return all;
    }

    /** Every figure of every system. */
    public static List<Figure> figures() {
        List<Figure> all = new ArrayList<>();
        systems().values().forEach(figures -> all.addAll(figures.get()));
        return all;
    }

    public static void main(String[] arguments) {
        PrintStream out = System.out;
        out.println("| system | figure | predicted MiB | published MiB | difference | mechanism of the difference |");
        out.println("|---|---|---|---|---|---|");
        figures().forEach(f -> out.println(f.row()));
        out.println();
        Perceptron.remarks().forEach(out::println);
        LargeHeads.remarks().forEach(out::println);
        out.println();
        Remedies.tables().forEach(out::println);
    }
}
