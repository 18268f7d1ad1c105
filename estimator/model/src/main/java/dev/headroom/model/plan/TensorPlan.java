package dev.headroom.model.plan;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.units.Wildcards;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A plan as it is written: which style which modules get, in the order in which they are shared
 * (torch/distributed/tensor/parallel/api.py, parallelize_module).
 *
 * @param file where it was read from; "" for a part of a plan and for the usual ones
 * @param entries in order
 */
public record TensorPlan(String file, List<Entry> entries) {
    /** Stands for every path, in the order of the modules. */
    static final String ANYWHERE = "**";

    /**
     * A line of a plan.
     *
     * @param pattern a path whose parts may have the wildcards of file names, or {@code **} for modules at any depth
     * @param style what the modules get, or {@code null}
     * @param inner a plan for what is inside of the modules, or {@code null}; under {@code **} the last names of
     * modules
     */
    public record Entry(
            String pattern,
            @Nullable ModuleStyle style,
            @Nullable TensorPlan inner) {
        /** The plan for what is inside, of a line that has no style. */
        TensorPlan within() {
            return Objects.requireNonNull(inner, pattern);
        }
    }

    public TensorPlan {
        entries = List.copyOf(entries);
    }

    /**
     * The modules of a model that the plan names.
     *
     * @param modules all paths, a parent before its children
     * @throws UserInputException for a pattern that fits none
     */
    public List<PlannedModule> of(List<String> modules) {
        List<PlannedModule> out = new ArrayList<>();
        collect("", modules, out);
        if (out.isEmpty()) {
            throw new UserInputException("the plan of tensor parallelism names no module of the model");
        }
        return out;
    }

    private void collect(String under, List<String> modules, List<PlannedModule> out) {
        for (Entry entry : entries) {
            if (entry.pattern().equals(ANYWHERE)) {
                anywhere(entry.within(), under, modules, out);
                continue;
            }
            List<String> found = ModulePaths.matching(under, entry.pattern(), modules);
            if (found.isEmpty()) {
                throw new UserInputException("plan of tensor parallelism: no module of the model is called '"
                        + (under.isEmpty() ? "" : under + ".") + entry.pattern() + "'; name its modules as "
                        + "model.named_modules() does");
            }
            for (String path : found) {
                if (entry.style() != null) {
                    out.add(new PlannedModule(path, entry.style()));
                } else {
                    entry.within().collect(path, ModulePaths.inside(path, modules), out);
                }
            }
        }
    }

    private static void anywhere(TensorPlan names, String under, List<String> modules, List<PlannedModule> out) {
        for (String path : modules) {
            boolean inside = under.isEmpty() || path.startsWith(under + ".");
            String last = path.substring(path.lastIndexOf('.') + 1);
            for (Entry entry : inside ? names.entries() : List.<Entry>of()) {
                if (Wildcards.fit(entry.pattern(), last)) {
                    out.add(new PlannedModule(path, Objects.requireNonNull(entry.style(), entry.pattern())));
                    break;
                }
            }
        }
    }
}
