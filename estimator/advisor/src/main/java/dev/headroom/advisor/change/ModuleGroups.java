package dev.headroom.advisor.change;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Lists of modules in a shorter form: siblings together, as patterns and as Python expressions. */
final class ModuleGroups {
    private static final String SEQUENTIAL = "torch.nn.modules.container.Sequential";

    private final Map<String, Set<String>> running = new LinkedHashMap<>();
    private final Map<String, Integer> registered = new LinkedHashMap<>();
    private final Map<String, String> types = new LinkedHashMap<>();

    ModuleGroups(Graph graph) {
        for (Node node : graph.nodes()) {
            for (Node.ModuleCall call : node.moduleStack()) {
                types.putIfAbsent(call.path(), call.type());
                if (!call.path().isEmpty()) {
                    running.computeIfAbsent(ModelState.owner(call.path()), o -> new LinkedHashSet<>())
                            .add(call.path());
                }
            }
        }
        graph.held().modules().stream()
                .filter(path -> !path.isEmpty())
                .forEach(path -> registered.merge(ModelState.owner(path), 1, Integer::sum));
    }

    /** The same modules as patterns: {@code layer1.*} where every sibling that runs is among them. */
    List<String> patterns(List<String> modules) {
        List<String> out = new ArrayList<>();
        for (List<String> group : groups(modules)) {
            String owner = ModelState.owner(group.get(0));
            boolean all = group.size() > 1
                    && !owner.isEmpty()
                    && group.size()
                            == Objects.requireNonNull(running.get(owner)).size();
            out.addAll(all ? List.of(owner + ".*") : group);
        }
        return out;
    }

    /** What patterns such as {@code layer1.*} stand for. */
    List<String> members(List<String> patterns) {
        return patterns.stream()
                .flatMap(p -> running.getOrDefault(ModelState.owner(p), Set.of()).stream())
                .toList();
    }

    /** Elements of a Python list of these modules. */
    List<String> elements(List<String> modules) {
        List<String> out = new ArrayList<>();
        for (List<String> group : groups(modules)) {
            String owner = ModelState.owner(group.get(0));
            if (group.size() > 1 && group.size() == registered.getOrDefault(owner, 0)) {
                out.add("*" + expression(owner) + ".children()");
            } else if (group.size() > 2 && numbered(group)) {
                out.add("*" + expression(owner) + slice(group.get(0), group.get(group.size() - 1)));
            } else {
                group.forEach(path -> out.add(expression(path)));
            }
        }
        return out;
    }

    /**
     * The siblings of a run {@code FIRST..LAST} as something to call: a slice of their Sequential, a new one where they
     * have nothing below them, else a function that only the author of the caller can write.
     */
    String sequence(String run) {
        String[] ends = run.split("\\.\\.");
        String owner = ModelState.owner(ends[0]);
        if (SEQUENTIAL.equals(types.get(owner)) && number(ends[0]) >= 0) {
            return expression(owner) + slice(ends[0], ends[1]);
        }
        List<String> siblings = new ArrayList<>(running.getOrDefault(owner, Set.of()));
        int last = siblings.indexOf(ends[1]);
        List<String> members = siblings.subList(Math.max(0, siblings.indexOf(ends[0])), last + 1);
        boolean simple = members.stream().noneMatch(running::containsKey);
        return simple
                ? "nn.Sequential("
                        + String.join(
                                ", ",
                                members.stream().map(ModuleGroups::expression).toList()) + ")"
                : "function_that_calls_them";
    }

    /** Such as {@code model.layer1[0]}. */
    static String expression(String path) {
        return path.isEmpty() ? "model" : "model." + path.replaceAll("\\.(\\d+)(?=\\.|$)", "[$1]");
    }

    /** Such as {@code [0:8]} for the numbered siblings from the first to the last. */
    static String slice(String first, String last) {
        return "[" + number(first) + ":" + (number(last) + 1) + "]";
    }

    /** Position in a container, or -1. */
    static int number(String path) {
        String last = path.substring(path.lastIndexOf('.') + 1);
        return last.matches("\\d{1,6}") ? Integer.parseInt(last) : -1;
    }

    private static boolean numbered(List<String> group) {
        int first = number(group.get(0));
        for (int i = 0; i < group.size(); i++) {
            if (first < 0 || number(group.get(i)) != first + i) {
                return false;
            }
        }
        return true;
    }

    /** Siblings that stand together in the list. Runs and patterns stay alone. */
    private List<List<String>> groups(List<String> modules) {
        List<List<String>> groups = new ArrayList<>();
        String before = null;
        for (String path : modules) {
            String owner = ModelState.owner(path);
            boolean plain = running.getOrDefault(owner, Set.of()).contains(path);
            if (!plain || !owner.equals(before)) {
                groups.add(new ArrayList<>());
            }
            groups.get(groups.size() - 1).add(path);
            before = plain ? owner : null;
        }
        return groups;
    }
}
