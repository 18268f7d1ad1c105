package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.parallel.unit.NoSplitModules;
import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What accelerate wraps (accelerate 1.15, utils/fsdp_utils.py, fsdp2_prepare_model): each layer, the embedding, and
 * the last norm with the head, which stay gathered; where embedding and head are tied, all three together.
 */
final class AcceleratePlan {
    private final Graph graph;
    private final ModuleTree tree;

    private AcceleratePlan(Graph graph) {
        this.graph = graph;
        this.tree = new ModuleTree(graph.held());
    }

    /**
     * What is wrapped.
     *
     * @param adapted whether peft has wrapped the model, in which accelerate then finds no last norm
     * @param named modules that take the place of those that the library lists ({@code transformer_layer_cls_to_wrap});
     *     empty for those
     */
    static List<UnitPlan> of(Graph graph, boolean adapted, List<UnitPlan> named) {
        return new AcceleratePlan(graph).units(adapted, named);
    }

    private List<UnitPlan> units(boolean adapted, List<UnitPlan> named) {
        List<UnitPlan> out =
                new ArrayList<>(named.isEmpty() ? UnitPlan.each(NoSplitModules.of(graph, false, Set.of())) : named);
        String embedding = moduleOf("aten.embedding", true);
        refuseTwice(embedding, out);
        String head = head(embedding);
        boolean tied = head != null && Objects.equals(storage(embedding), storage(head));
        if (embedding != null && !tied) {
            out.add(new UnitPlan(List.of(embedding), false));
        }
        List<String> tail = Stream.of(adapted ? null : lastNorm(embedding), tied ? embedding : null, head)
                .filter(Objects::nonNull)
                .toList();
        if (!tail.isEmpty()) {
            out.add(new UnitPlan(tail, true));
        }
        return List.copyOf(out);
    }

    /** An embedding in a module that is wrapped would be wrapped again, with parameters that are divided by then. */
    private static void refuseTwice(@Nullable String embedding, List<UnitPlan> wrapped) {
        for (UnitPlan unit : wrapped) {
            for (String outer : unit.modules()) {
                if (embedding != null && embedding.startsWith(outer + ".")) {
                    throw new UserInputException("`parallel=fsdp2` with a Trainer: accelerate wraps '" + outer
                            + "' and then '" + embedding + "' inside of it, which PyTorch refuses; name the class of"
                            + " the layers alone, with `wrap_modules` here and transformer_layer_cls_to_wrap in"
                            + " fsdp_config, or take `parallel=fsdp1`");
                }
            }
        }
    }

    /** The module whose weight the first, or last, such operator reads. */
    private @Nullable String moduleOf(String operator, boolean first) {
        String out = null;
        for (Node n : graph.nodes()) {
            if (n.operator().equals(operator)) {
                String owner = owner(n);
                if (owner != null && first) {
                    return owner;
                }
                out = owner == null ? out : owner;
            }
        }
        return out;
    }

    private @Nullable String owner(Node n) {
        return graph.held().tensors().containsKey(n.module() + ".weight") ? n.module() : null;
    }

    /** {@code get_output_embeddings()}: a last linear layer with a row for each of the embedding's. */
    private @Nullable String head(@Nullable String embedding) {
        String last = moduleOf("aten.linear", false);
        if (last == null || embedding == null) {
            return null;
        }
        long rows = rows(last);
        return rows == rows(embedding) ? last : null;
    }

    private long rows(String module) {
        ModelState.HeldTensor weight = graph.held().tensors().get(module + ".weight");
        return weight == null ? -1 : weight.meta().sizes().get(0).evaluate(Map.of());
    }

    private @Nullable String storage(@Nullable String module) {
        ModelState.HeldTensor weight = graph.held().tensors().get(module + ".weight");
        return weight == null ? null : weight.storage();
    }

    /** _find_final_norm: of the base model's own children. */
    private @Nullable String lastNorm(@Nullable String embedding) {
        if (embedding == null) {
            return null;
        }
        int dot = embedding.indexOf('.');
        String base = dot < 0 ? "" : embedding.substring(0, dot);
        Set<String> norms = new HashSet<>(RepeatedBlocks.ofClass(graph, name -> name.contains("Norm")));
        String out = null;
        for (String child : tree.children(base)) {
            out = norms.contains(child) ? child : out;
        }
        return out;
    }
}
