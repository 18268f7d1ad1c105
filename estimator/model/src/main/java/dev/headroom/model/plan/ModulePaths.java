package dev.headroom.model.plan;

import dev.headroom.model.units.Wildcards;
import java.util.ArrayList;
import java.util.List;

/** Paths of modules against patterns whose parts have the wildcards of file names (Python's {@code fnmatch}). */
final class ModulePaths {
    private ModulePaths() {}

    /** The paths below a module that fit a pattern, in the order of the modules. */
    static List<String> matching(String under, String pattern, List<String> modules) {
        if (pattern.isEmpty()) {
            return List.of(under);
        }
        String[] wanted = pattern.split("\\.", -1);
        String prefix = under.isEmpty() ? "" : under + ".";
        List<String> out = new ArrayList<>();
        for (String path : modules) {
            boolean inside = !path.isEmpty() && path.startsWith(prefix);
            String[] parts = inside ? path.substring(prefix.length()).split("\\.", -1) : new String[0];
            if (fits(wanted, parts)) {
                out.add(path);
            }
        }
        return out;
    }

    private static boolean fits(String[] wanted, String[] parts) {
        boolean all = wanted.length == parts.length;
        for (int i = 0; all && i < parts.length; i++) {
            all = Wildcards.fit(wanted[i], parts[i]);
        }
        return all;
    }

    /** A module and those inside of it. */
    static List<String> inside(String path, List<String> modules) {
        String prefix = path + ".";
        return modules.stream()
                .filter(m -> m.startsWith(prefix) || m.equals(path))
                .toList();
    }
}
