package dev.headroom.estimator.program.source;

import dev.headroom.estimator.program.source.Spelled.Calls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Statements that share a source line, {@code a = f(x); b = a + 1}, and which of them runs which operator. An archive
 * holds the line alone. What the statements spell, in the order of evaluation, is aligned with what ran; a loop whose
 * body the line is repeats the statements. Nothing is said where two alignments are equally good and differ.
 */
public final class LineStatements {
    private static final Pattern COMPOUND = Pattern.compile("(?:if|elif|else|for|while|with|try|except|finally)\\b");

    private static final int MATCH = 6;
    private static final int STRAY = -9;
    private static final int NEVER = -1_000_000;
    private static final int MOST_STATES = 1_000_000;

    private final List<String> texts;
    private final List<Spelled> spelled = new ArrayList<>();
    private final List<Integer> statements = new ArrayList<>();

    private LineStatements(List<String> texts) {
        this.texts = texts;
        for (int i = 0; i < texts.size(); i++) {
            for (Spelled s : StatementReader.read(texts.get(i))) {
                spelled.add(s);
                statements.add(i);
            }
        }
    }

    /**
     * The statements of a line; of {@code if shift: x = f(x)} those behind the colon, unless what stands before it may
     * run an operator.
     */
    public static List<String> split(String line) {
        Matcher compound = COMPOUND.matcher(line);
        if (!compound.lookingAt()) {
            return simple(line);
        }
        int depth = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"' || c == '\'' || c == '#' || line.startsWith("lambda", i)) {
                break;
            }
            if (c == ':' && depth == 0) {
                List<Spelled> before = StatementReader.read(line.substring(compound.end(), i));
                List<String> behind = simple(line.substring(i + 1).strip());
                return before.stream().allMatch(e -> e.calls() == Calls.QUESTION) && !behind.isEmpty()
                        ? behind
                        : List.of(line);
            }
            depth += PythonFrame.nesting(c);
        }
        return List.of(line);
    }

    private static List<String> simple(String line) {
        List<String> out = new ArrayList<>();
        int depth = 0;
        char quote = 0;
        int start = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (quote != 0) {
                i += c == '\\' ? 1 : 0;
                quote = c == quote ? 0 : quote;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '#') {
                line = line.substring(0, i);
            } else if (c == ';' && depth == 0) {
                out.add(line.substring(start, i).strip());
                start = i + 1;
            } else {
                depth += PythonFrame.nesting(c);
            }
        }
        out.add(line.substring(start).strip());
        out.removeIf(String::isEmpty);
        return out;
    }

    /**
     * Which statement each step of a line runs in.
     *
     * @param texts the line's statements
     * @param steps in order: an operator without its namespace, or the attribute that names a called module
     * @return of each step the number of its statement, counted on through the iterations of a loop; {@code null}
     *     where that cannot be told
     */
    public static int @Nullable [] assign(List<String> texts, List<String> steps) {
        LineStatements line = new LineStatements(texts);
        if (line.spelled.isEmpty()) {
            return null;
        }
        int @Nullable [] best = null;
        int score = NEVER;
        for (int period = steps.size(); period > 0; period--) {
            if (!repeats(steps, period) || (long) line.spelled.size() * period > MOST_STATES) {
                continue;
            }
            int times = steps.size() / period;
            int[][] aligned = line.align(steps.subList(0, period));
            int total = aligned[1][0] * times;
            if (total > score) {
                score = total;
                best = aligned[0].length == 0 ? null : line.repeated(aligned[0], times);
            }
        }
        return best;
    }

    /** Whether the steps are those of a loop, the same ones in every iteration. */
    private static boolean repeats(List<String> steps, int period) {
        return steps.size() % period == 0
                && steps.subList(period, steps.size()).equals(steps.subList(0, steps.size() - period));
    }

    private int[] repeated(int[] places, int times) {
        int[] out = new int[places.length * times];
        for (int i = 0; i < out.length; i++) {
            out[i] = places[i % places.length] + i / places.length * texts.size();
        }
        return out;
    }

    /** The statements of the steps, none where that is ambiguous; and the score. */
    private int[][] align(List<String> steps) {
        int events = spelled.size();
        int n = steps.size();
        Set<String> known = new HashSet<>(steps);
        // By steps taken, event, and whether the event has met its operator: what is best so far, and from there on.
        int[][] before = new int[n + 1][2 * events + 1];
        int[][] after = new int[n + 1][2 * events + 1];
        for (int i = 0; i <= n; i++) {
            Arrays.fill(before[i], NEVER);
            Arrays.fill(after[i], NEVER);
        }
        before[0][0] = 0;
        after[n][2 * events] = 0;
        for (int i = 0; i <= n; i++) {
            for (int s = 0; s < 2 * events; s++) {
                int next = (s / 2 + 1) * 2;
                Spelled e = spelled.get(s / 2);
                before[i][next] = Math.max(before[i][next], before[i][s] + (s % 2 == 0 ? skip(e) : 0));
                if (i < n) {
                    String step = steps.get(i);
                    before[i + 1][s] = Math.max(before[i + 1][s], before[i][s] + absorb(e, step, known));
                    if (s % 2 == 0 && e.names().contains(step)) {
                        before[i + 1][s + 1] = Math.max(before[i + 1][s + 1], before[i][s] + MATCH);
                    }
                }
            }
        }
        for (int i = n; i >= 0; i--) {
            for (int s = 2 * events - 1; s >= 0; s--) {
                Spelled e = spelled.get(s / 2);
                int best = after[i][(s / 2 + 1) * 2] + (s % 2 == 0 ? skip(e) : 0);
                if (i < n) {
                    String step = steps.get(i);
                    best = Math.max(best, after[i + 1][s] + absorb(e, step, known));
                    if (s % 2 == 0 && e.names().contains(step)) {
                        best = Math.max(best, after[i + 1][s + 1] + MATCH);
                    }
                }
                after[i][s] = best;
            }
        }
        int total = after[0][0];
        int[] out = new int[n];
        for (int i = 0; i < n; i++) {
            out[i] = -1;
            for (int s = 0; s < 2 * events; s++) {
                Spelled e = spelled.get(s / 2);
                String step = steps.get(i);
                boolean here = before[i][s] + absorb(e, step, known) + after[i + 1][s] == total
                        || s % 2 == 0
                                && e.names().contains(step)
                                && before[i][s] + MATCH + after[i + 1][s + 1] == total;
                int statement = statements.get(s / 2);
                if (here && out[i] >= 0 && out[i] != statement) {
                    return new int[][] {{}, {total}};
                }
                out[i] = here ? statement : out[i];
            }
        }
        return new int[][] {out, {total}};
    }

    private static int skip(Spelled e) {
        return e.calls() == Calls.INDEX || e.calls() == Calls.QUESTION ? 0 : -1;
    }

    /** What it costs that a step belongs to what does not name it. */
    private static int absorb(Spelled e, String step, Set<String> known) {
        boolean met = e.names().stream().anyMatch(known::contains);
        return switch (e.calls()) {
            case UNKNOWN -> met ? STRAY + 3 : 0;
            case FUNCTION -> met ? -2 : 0;
            case METHOD -> met ? -3 : 0;
            case QUESTION -> STRAY + 3;
            case INDEX -> e.names().contains(step) ? 2 : STRAY;
            case ARITHMETIC -> e.names().contains("div") && step.equals("mul") ? -1 : STRAY;
        };
    }
}
