package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A module that is wrapped, with the tensors that belong to it and to no module that was wrapped before
 * (_fsdp_init.py, _get_managed_modules and _get_managed_states).
 *
 * @param path "" for the model itself
 * @param parameters storage names, modules after their children
 * @param buffers storage names, modules after their children
 */
record Unit(String path, List<String> parameters, List<String> buffers) {
    /**
     * The units of a model in the order in which they are wrapped, the model itself last.
     *
     * @param wrapped paths of modules below the model
     * @throws UserInputException for a parameter that two units would share
     */
    static List<Unit> of(ModelState state, List<String> wrapped) {
        ModuleTree tree = new ModuleTree(state);
        List<Unit> out = new ArrayList<>();
        Map<String, String> unitOf = new HashMap<>();
        List<String> all = new ArrayList<>(wrapped);
        all.add("");
        for (String path : all) {
            List<String> modules = new ArrayList<>();
            collect(tree, path, Set.copyOf(wrapped), modules);
            Unit unit = new Unit(
                    path, own(tree, modules, Graph.InputKind.PARAMETER), own(tree, modules, Graph.InputKind.BUFFER));
            for (String p : unit.parameters) {
                String other = unitOf.putIfAbsent(p, path);
                if (other != null) {
                    throw new UserInputException("`parallel=fsdp2`: parameter '" + p + "' is tied between '" + other
                            + "' and '" + (path.isEmpty() ? "the model" : path)
                            + "', which are wrapped one by one; PyTorch refuses that, take `wrap=root`");
                }
            }
            out.add(unit);
        }
        return out;
    }

    private static void collect(ModuleTree tree, String module, Set<String> wrapped, List<String> into) {
        for (String child : tree.children(module)) {
            if (!wrapped.contains(child)) {
                collect(tree, child, wrapped, into);
            }
        }
        into.add(module);
    }

    private static List<String> own(ModuleTree tree, List<String> modules, Graph.InputKind kind) {
        Set<String> out = new LinkedHashSet<>();
        for (String module : modules) {
            for (Map.Entry<String, ModelState.HeldTensor> e : tree.tensors(module)) {
                if (e.getValue().kind() == kind) {
                    out.add(e.getValue().storage());
                }
            }
        }
        return List.copyOf(out);
    }
}
