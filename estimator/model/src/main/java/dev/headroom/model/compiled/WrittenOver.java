package dev.headroom.model.compiled;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tells which of a kernel's arguments it writes over: the first ones, as long as they are new names of buffers whose
 * old names have ended ({@code in_out_ptr} of torch/_inductor/codegen/common.py, KernelArgs).
 */
final class WrittenOver {
    /** By name of a storage, the last further name that it got. */
    private final Map<String, String> aliases = new HashMap<>();

    /** Names of storages that their first names have let go of, until a kernel is given them. */
    private final Set<String> reused = new HashSet<>();

    private WrittenOver() {}

    /** The same statements; kernels, which have all arguments among the others, have them divided. */
    static List<Statement> told(List<Statement> statements) {
        WrittenOver walk = new WrittenOver();
        return statements.stream().map(walk::told).toList();
    }

    private Statement told(Statement s) {
        if (s instanceof Statement.Alias a) {
            aliases.put(a.of(), a.name());
        } else if (s instanceof Statement.Free f) {
            for (String name : f.names()) {
                String alias = aliases.remove(name);
                if (alias != null) {
                    reused.add(alias);
                }
            }
        } else if (s instanceof Statement.Kernel k) {
            return divided(k);
        }
        return s;
    }

    private Statement.Kernel divided(Statement.Kernel k) {
        List<String> changed = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String name : k.others()) {
            boolean isReused = reused.remove(name);
            (isReused && others.isEmpty() ? changed : others).add(name);
        }
        return new Statement.Kernel(k.name(), changed, others);
    }
}
