package dev.headroom.model.importer;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.ModelState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Modules in the order in which their parents registered them. */
final class ModuleTree {
    /** Python's recursion limit: a module that lies deeper cannot be called. */
    private static final int DEEPEST = 1000;

    /** Characters of such a module's path, enough to find it by. */
    private static final int SHOWN = 60;

    private static final Pattern SECOND_CALL = Pattern.compile("@\\d+\\z");

    private final Map<String, ModuleTree> children = new LinkedHashMap<>();
    private final String path;

    private ModuleTree(String path) {
        this.path = path;
    }

    /**
     * All modules, a parent before its children.
     *
     * @param called the exporter's list of modules, in order of registration; second calls end in {@code @1}
     * @param tensors qualified names, whose owners are added where the list lacks them
     * @throws UserInputException for modules that are nested deeper than Python's calls
     */
    static List<String> order(List<String> called, Iterable<String> tensors) {
        ModuleTree root = new ModuleTree("");
        for (String name : called) {
            if (!SECOND_CALL.matcher(name).find()) {
                root.add(name);
            }
        }
        tensors.forEach(name -> root.add(ModelState.owner(name)));
        List<String> order = new ArrayList<>();
        List<ModuleTree> open = new ArrayList<>(List.of(root));
        while (!open.isEmpty()) {
            ModuleTree next = open.remove(open.size() - 1);
            order.add(next.path);
            List<ModuleTree> inOrder = new ArrayList<>(next.children.values());
            for (int i = inOrder.size() - 1; i >= 0; i--) {
                open.add(inOrder.get(i));
            }
        }
        return order;
    }

    private void add(String name) {
        if (name.isEmpty()) {
            return;
        }
        ModuleTree at = this;
        int around = 0;
        for (int end = name.indexOf('.'); ; end = name.indexOf('.', end + 1)) {
            if (around++ >= DEEPEST) {
                throw new UserInputException(
                        "a module has " + DEEPEST + " or more modules around it, which is more than"
                                + " Python's calls can be nested: " + name.substring(0, SHOWN) + "…");
            }
            String prefix = end < 0 ? name : name.substring(0, end);
            at = at.children.computeIfAbsent(prefix, ModuleTree::new);
            if (end < 0) {
                return;
            }
        }
    }
}
