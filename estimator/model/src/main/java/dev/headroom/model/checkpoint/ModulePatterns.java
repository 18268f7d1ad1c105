package dev.headroom.model.checkpoint;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Modules named by patterns over their paths: {@code *} stands for anything but a dot, {@code **} for anything, and
 * {@code features.0..features.7} for the run of siblings from the first to the last of the two, which are one
 * checkpoint: {@code checkpoint(features[0:8], x)}.
 */
final class ModulePatterns {
    /** Operators from one to before another. */
    record Range(int from, int to) {
        boolean contains(Range other) {
            return from <= other.from && other.to <= to;
        }
    }

    private ModulePatterns() {}

    /** What the patterns make checkpoints of, in order; of what lies in each other the outermost. */
    static List<Range> ranges(Graph graph, List<String> patterns) {
        List<ModuleCalls.Call> roots = ModuleCalls.roots(graph);
        List<Range> found = new ArrayList<>();
        for (String pattern : patterns) {
            List<Range> some =
                    ModuleRuns.isRun(pattern) ? ModuleRuns.find(graph, roots, pattern) : calls(roots, pattern);
            if (some.isEmpty()) {
                throw unknown(pattern, paths(roots));
            }
            found.addAll(some);
        }
        found.sort(Comparator.comparingInt(Range::from).thenComparingInt(r -> -r.to));
        List<Range> outermost = new ArrayList<>();
        for (Range r : found) {
            Range last = outermost.isEmpty() ? null : outermost.get(outermost.size() - 1);
            if (last == null || r.from >= last.to) {
                outermost.add(r);
            } else if (!last.contains(r)) {
                throw new UserInputException("`checkpoint_modules`: two of the checkpoints share '"
                        + graph.nodes().get(r.from).module() + "' and neither holds the other; let them end before it"
                        + " or begin after it");
            }
        }
        return outermost;
    }

    private static List<Range> calls(List<ModuleCalls.Call> roots, String glob) {
        Predicate<String> fits = fits(glob);
        return ModuleCalls.outermost(roots, c -> !c.path().isEmpty() && fits.test(c.path())).stream()
                .map(c -> new Range(c.from(), c.to()))
                .toList();
    }

    /** Whether a path is the one that is named, or of the pattern. */
    static Predicate<String> fits(String glob) {
        return glob.contains("*") ? compile(glob).asMatchPredicate() : glob::equals;
    }

    static Pattern compile(String glob) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            if (c != '*') {
                regex.append(Pattern.quote(String.valueOf(c)));
            } else if (i + 1 < glob.length() && glob.charAt(i + 1) == '*') {
                regex.append(".*");
                i++;
            } else {
                regex.append("[^.]*");
            }
        }
        return Pattern.compile(regex.toString());
    }

    static UserInputException unknown(String module, Set<String> known) {
        return new UserInputException("`checkpoint_modules`: no module that runs is called '" + module + "'"
                + Suggestion.of(module, known) + "; `layers` lists the modules");
    }

    /** Modules that run. */
    static Set<String> paths(List<ModuleCalls.Call> calls) {
        Set<String> paths = new LinkedHashSet<>();
        for (ModuleCalls.Call c : calls) {
            if (!c.path().isEmpty()) { // the whole model has no name
                paths.add(c.path());
            }
            paths.addAll(paths(c.children()));
        }
        return paths;
    }
}
