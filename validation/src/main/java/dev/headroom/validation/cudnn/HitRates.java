package dev.headroom.validation.cudnn;

import dev.headroom.estimator.cudnn.DistilledWorkspaces;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.graph.DType;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often distilled workspaces are right: within 1 %, or within 64 KiB where workspaces are small. As a program it
 * prints a row {@code capability | type | layout | forward | data | filter} for each group of a gzip file of {@link
 * AnswerLine}s.
 */
public final class HitRates {
    private static final double SHARE = 0.01;
    private static final long SMALL = 64 << 10;

    /** Answers of a group by direction: how many, and how many were right. */
    private final Map<String, int[][]> groups = new TreeMap<>();

    /** Counts all answers in a file. */
    public static HitRates of(Path file) {
        HitRates rates = new HitRates();
        DistilledWorkspaces rules = new DistilledWorkspaces();
        Fixtures.lines(file).stream().map(AnswerLine::parse).forEach(answer -> rates.count(rules, answer));
        return rates;
    }

    /** Whether a workspace is right enough, both in bytes. */
    static boolean near(long predicted, long answered) {
        return Math.abs(predicted - answered) <= Math.max((long) (SHARE * answered), SMALL);
    }

    private void count(DistilledWorkspaces rules, AnswerLine line) {
        long predicted = rules.answer(line.problem(), line.gpu())
                .map(WorkspaceAnswer::first)
                .orElse(-SMALL - 1);
        int[] counts = groups.computeIfAbsent(
                        group(line), g -> new int[ConvolutionProblem.Direction.values().length][2])[
                line.problem().direction().ordinal()];
        counts[0]++;
        counts[1] += near(predicted, line.workspace()) ? 1 : 0;
    }

    private static String group(AnswerLine line) {
        ConvolutionProblem p = line.problem();
        return line.gpu().major() + "." + line.gpu().minor() + " | " + (p.type() == DType.FLOAT32 ? "fp32" : "half")
                + " | " + (p.channelsLast() ? "nhwc" : "nchw");
    }

    /** Shares of right answers by group, for the directions in their order. */
    public Map<String, double[]> rates() {
        Map<String, double[]> out = new TreeMap<>();
        groups.forEach((group, directions) -> {
            double[] rates = new double[directions.length];
            for (int i = 0; i < rates.length; i++) {
                rates[i] = directions[i][1] / (double) directions[i][0];
            }
            out.put(group, rates);
        });
        return out;
    }

    public static void main(String[] arguments) {
        PrintStream out = System.out;
        of(Path.of(arguments[0])).rates().forEach((group, rates) -> {
            StringBuilder row = new StringBuilder("| ").append(group).append(" |");
            for (double rate : rates) {
                row.append(String.format(Locale.ROOT, " %.3f |", Math.floor(rate * 1000) / 1000));
            }
            out.println(row);
        });
    }
}
