package dev.headroom.model.checkpoint;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Runs of siblings, written {@code FIRST..LAST} with two paths: the modules that one parent calls one after the other,
 * from FIRST to LAST inclusive, with no operator of the parent's own in between.
 */
final class ModuleRuns {
    private static final String TO = "..";

    private ModuleRuns() {}

    static boolean isRun(String pattern) {
        return pattern.contains(TO);
    }

    /** One range a time that the parent runs them. */
    static List<ModulePatterns.Range> find(Graph graph, List<ModuleCalls.Call> roots, String pattern) {
        int at = pattern.indexOf(TO);
        String first = pattern.substring(0, at);
        String last = pattern.substring(at + TO.length());
        if (first.isEmpty() || last.isEmpty() || pattern.indexOf('*') >= 0) {
            throw new UserInputException("`checkpoint_modules`: '" + pattern
                    + "' is no run of modules; write the paths of its first and last one, like features.0..features.7");
        }
        if (!ModelState.owner(first).equals(ModelState.owner(last))) {
            throw new UserInputException("`checkpoint_modules`: '" + first + "' and '" + last
                    + "' are not in one container; name a run for each container");
        }
        Set<String> known = ModulePatterns.paths(roots);
        for (String path : List.of(first, last)) {
            if (!known.contains(path)) {
                throw ModulePatterns.unknown(path, known);
            }
        }
        List<ModulePatterns.Range> out = new ArrayList<>();
        collect(graph, roots, pattern, first, last, out);
        if (out.isEmpty()) {
            throw new UserInputException("`checkpoint_modules`: '" + last + "' does not run after '" + first
                    + "'; write the one that runs first in front");
        }
        return out;
    }

    private static void collect(
            Graph graph,
            List<ModuleCalls.Call> siblings,
            String pattern,
            String first,
            String last,
            List<ModulePatterns.Range> out) {
        ModuleCalls.Call begin = null;
        ModuleCalls.Call before = null;
        for (ModuleCalls.Call c : siblings) {
            if (begin == null && c.path().equals(first)) {
                begin = c;
            } else if (begin != null && before != null && before.to() < c.from()) {
                throw new UserInputException("`checkpoint_modules`: between '" + before.path() + "' and '" + c.path()
                        + "' of the run '" + pattern + "' stand operators of '"
                        + graph.nodes().get(before.to()).module() + "'; end the run before them");
            }
            before = c;
            if (begin != null && c.path().equals(last)) {
                out.add(new ModulePatterns.Range(begin.from(), c.to()));
                begin = null;
            }
            collect(graph, c.children(), pattern, first, last, out);
        }
    }
}
