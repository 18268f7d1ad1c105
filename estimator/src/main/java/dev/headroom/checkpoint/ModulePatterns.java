package dev.headroom.checkpoint;

import dev.headroom.graph.Graph;
import dev.headroom.graph.GraphException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Modules named by patterns over their paths: {@code *} stands for anything but a dot, {@code **} for anything. */
final class ModulePatterns {
    private ModulePatterns() {}

    /** The outermost calls of modules that one of the patterns fits, in order. */
    static List<ModuleCalls.Call> calls(Graph graph, List<String> patterns) {
        List<Pattern> compiled = patterns.stream().map(ModulePatterns::compile).toList();
        Set<Integer> used = new HashSet<>();
        List<ModuleCalls.Call> calls = ModuleCalls.outermost(ModuleCalls.roots(graph), c -> {
            boolean fits = false;
            for (int i = 0; i < compiled.size(); i++) {
                if (!c.path().isEmpty() && compiled.get(i).matcher(c.path()).matches()) {
                    used.add(i);
                    fits = true;
                }
            }
            return fits;
        });
        List<String> unused = new ArrayList<>();
        for (int i = 0; i < compiled.size(); i++) {
            if (!used.contains(i)) {
                unused.add(patterns.get(i));
            }
        }
        if (!unused.isEmpty()) {
            throw new GraphException("--checkpoint-modules: no module that runs is called '" + unused.get(0)
                    + "'; --layers lists the modules");
        }
        return calls;
    }

    private static Pattern compile(String glob) {
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
}
