package dev.headroom.model.checkpoint;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The modules that training scripts wrap or checkpoint one by one: residual blocks of a ResNet, layers of a
 * transformer, children of {@code features}. They are found as {@code record_parallel.py} of the oracle finds them. A
 * module that holds numbered ones and is never called is an {@code nn.ModuleList}.
 */
public final class RepeatedBlocks {
    private static final String SEQUENTIAL = "torch.nn.modules.container.Sequential";
    private static final int FEW = 2;

    private final ModelState state;
    private final ModuleTree tree;
    private final Map<String, String> types = new HashMap<>();

    private RepeatedBlocks(Graph graph) {
        this.state = graph.held();
        this.tree = new ModuleTree(state);
        for (Node n : graph.nodes()) {
            n.moduleStack().forEach(c -> types.putIfAbsent(c.path(), c.type()));
        }
    }

    /** Paths of the blocks, in order; empty for a model that has none. */
    public static List<String> of(Graph graph) {
        return new RepeatedBlocks(graph).find();
    }

    /**
     * Paths of all modules of the blocks' classes, inner ones before those around them
     * (torch/distributed/fsdp/wrap.py, ModuleWrapPolicy, which asks isinstance). Blocks that are checkpointed by a
     * CheckpointWrapper around each are of that class, and nothing else is.
     *
     * @param checkpointed whether blocks are checkpointed
     * @param others paths of modules that are wrapped too
     */
    public static List<String> sameTypes(Graph graph, boolean checkpointed, Set<String> others) {
        RepeatedBlocks blocks = new RepeatedBlocks(graph);
        Set<String> found = new HashSet<>(blocks.find());
        Set<String> classes = new HashSet<>();
        found.forEach(b -> classes.add(blocks.types.get(b)));
        classes.remove(null);
        boolean wrappers = checkpointed && !CheckpointPlan.hasSwitch(graph);
        List<String> out = new ArrayList<>();
        blocks.leave("", m -> others.contains(m) || (wrappers ? found.contains(m) : blocks.isOneOf(classes, m)), out);
        return List.copyOf(out);
    }

    /** These paths, inner ones before those around them. */
    public static List<String> paths(Graph graph, Set<String> modules) {
        List<String> out = new ArrayList<>();
        new RepeatedBlocks(graph).leave("", modules::contains, out);
        return List.copyOf(out);
    }

    /** Paths of all modules that are called and whose class has a name that fits. */
    public static Set<String> ofClass(Graph graph, Predicate<String> name) {
        Set<String> out = new HashSet<>();
        new RepeatedBlocks(graph).types.forEach((path, type) -> {
            if (name.test(name(type))) {
                out.add(path);
            }
        });
        return out;
    }

    private void leave(String module, Predicate<String> wanted, List<String> out) {
        children(module).forEach(child -> leave(child, wanted, out));
        if (!module.isEmpty() && wanted.test(module)) {
            out.add(module);
        }
    }

    private boolean isOneOf(Set<String> classes, String module) {
        return classes.contains(types.get(module)) || classes.contains(SEQUENTIAL) && runsInTurn(module);
    }

    /**
     * Whether a module looks like a Sequential, whose subclasses are of its class too: it is called, and its members
     * are numbered.
     */
    private boolean runsInTurn(String module) {
        List<String> members = children(module);
        return types.containsKey(module) && !members.isEmpty() && numbered(members);
    }

    private static boolean numbered(List<String> members) {
        return members.stream().allMatch(m -> name(m).matches("\\d+"));
    }

    /** A region for each call of a block. */
    public static List<Region> regions(Graph graph) {
        Set<String> blocks = Set.copyOf(of(graph));
        LibrarySwitch.Layers layers = LibrarySwitch.layers(graph);
        Regions regions = new Regions(graph);
        return ModuleCalls.outermost(ModuleCalls.roots(graph), c -> blocks.contains(c.path())).stream()
                .map(c -> regions.of(c.from(), c.to(), layers.given(c.from(), c.to())))
                .toList();
    }

    private List<String> find() {
        if (state.modules().contains("layer4") && state.modules().contains("maxpool")) {
            List<String> out = new ArrayList<>();
            for (String layer : List.of("layer1", "layer2", "layer3", "layer4")) {
                out.addAll(children(layer));
            }
            return out;
        }
        if (isSequential("encoder.layers")) {
            return children("encoder.layers");
        }
        if (isSequential("features")) {
            return children("features").stream()
                    .filter(m -> parameters(m) > FEW)
                    .toList();
        }
        if (isSequential("blocks")) {
            return children("blocks");
        }
        return inLists();
    }

    /** The members of the outermost lists of modules that have several. */
    private List<String> inLists() {
        Set<String> found = new LinkedHashSet<>();
        List<String> inside = new ArrayList<>();
        for (String module : state.modules()) {
            List<String> members = children(module);
            boolean list = members.size() > 1 && !types.containsKey(module) && numbered(members);
            if (list && inside.stream().noneMatch(outer -> module.startsWith(outer + "."))) {
                found.addAll(members);
                inside.add(module);
            }
        }
        return List.copyOf(found);
    }

    private boolean isSequential(String path) {
        return Objects.equals(types.get(path), SEQUENTIAL);
    }

    private List<String> children(String path) {
        return tree.children(path);
    }

    private long parameters(String path) {
        Set<String> storages = new HashSet<>();
        state.tensors().forEach((name, held) -> {
            if (held.kind() == Graph.InputKind.PARAMETER && name.startsWith(path + ".")) {
                storages.add(held.storage());
            }
        });
        return storages.size();
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('.') + 1);
    }
}
