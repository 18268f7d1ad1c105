package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a model and the modules that own them; a tied one belongs to each of its owners. Blocks of experts
 * are fetched as a whole: what is inside of them counts as theirs.
 */
public final class ShardedModel {
    /** Classes without hooks inside (deepspeed/runtime/zero/leaf_module_config.py, DEFAULT_LEAF_MODULE_CLASSES). */
    private static final Set<String> LEAVES = Set.of(
            "transformers.models.mixtral.modeling_mixtral.MixtralSparseMoeBlock",
            "transformers.models.qwen2_moe.modeling_qwen2_moe.Qwen2MoeSparseMoeBlock",
            "transformers.models.qwen3_moe.modeling_qwen3_moe.Qwen3MoeSparseMoeBlock");

    private final List<ShardedParameter> all = new ArrayList<>();
    private final Map<Tensor, ShardedParameter> byTensor = new HashMap<>();
    private @Nullable List<ShardedParameter> trained;
    private final Set<String> leaves = new HashSet<>();
    private final Map<String, List<ShardedParameter>> byModule = new LinkedHashMap<>();
    private final Map<String, Set<ShardedParameter>> borrowed = new HashMap<>();

    public ShardedModel(EagerRuntime runtime, Graph graph, ModelTensors tensors, int ranks, int rank) {
        for (Tensor t : tensors.parameters()) {
            ShardedParameter p = new ShardedParameter(runtime, all.size(), t, ranks, rank);
            all.add(p);
            byTensor.put(t, p);
        }
        graph.nodes().stream()
                .flatMap(n -> n.moduleStack().stream())
                .filter(c -> LEAVES.contains(c.type()))
                .forEach(c -> leaves.add(c.path()));
        graph.held().modules().forEach(module -> byModule.computeIfAbsent(hooked(module), k -> new ArrayList<>()));
        graph.held().tensors().forEach((name, held) -> {
            ShardedParameter p = held.kind() == Graph.InputKind.PARAMETER ? byTensor.get(tensors.named(name)) : null;
            List<ShardedParameter> own =
                    byModule.computeIfAbsent(hooked(ModelState.owner(name)), k -> new ArrayList<>());
            if (p != null && !own.contains(p)) {
                own.add(p);
            }
        });
        byModule.values().forEach(own -> own.sort(Comparator.comparing(ShardedParameter::id)));
        for (Node node : graph.nodes()) {
            String module = hooked(node.module());
            for (String value : node.reads()) {
                ShardedParameter p = byTensor.get(tensors.byValue().get(value));
                if (p != null && !byModule.getOrDefault(module, List.of()).contains(p)) {
                    borrowed.computeIfAbsent(module, k -> new LinkedHashSet<>()).add(p);
                }
            }
        }
    }

    /** The module itself, or the leaf that it is inside of. */
    private String hooked(String module) {
        for (String at = module; !at.isEmpty() && !leaves.isEmpty(); at = ModelState.owner(at)) {
            if (leaves.contains(at)) {
                return at;
            }
        }
        return module;
    }

    /** Parameters of others that a module reads itself, as {@code nn.MultiheadAttention} does. */
    Set<ShardedParameter> borrowed(String module) {
        return borrowed.getOrDefault(module, Set.of());
    }

    /** From now on parameters of others count as a module's own (register_external_parameter). */
    void adopt(String module, ShardedParameter p) {
        of(module).add(p);
        of(module).sort(Comparator.comparing(ShardedParameter::id));
    }

    /** In the order of {@code parameters()}. */
    List<ShardedParameter> all() {
        return all;
    }

    /** Those that are trained, by the optimizer's groups once these are known. */
    List<ShardedParameter> trained() {
        return trained == null ? all.stream().filter(ShardedParameter::trained).toList() : trained;
    }

    /** Takes the order of the optimizer's groups. */
    void order(List<List<Tensor>> groups) {
        trained = groups.stream().flatMap(group -> of(group).stream()).toList();
    }

    /** The parameters of some tensors, in their order. */
    List<ShardedParameter> of(List<Tensor> group) {
        return group.stream().map(t -> Objects.requireNonNull(byTensor.get(t))).toList();
    }

    /** The type of the parameters that are trained. */
    DType type() {
        return trained().get(0).type();
    }

    /** Paths of all modules. */
    List<String> modules() {
        return List.copyOf(byModule.keySet());
    }

    /** A module's own parameters. */
    List<ShardedParameter> of(String module) {
        return Objects.requireNonNull(byModule.get(module));
    }

    Map<String, List<ShardedParameter>> byModule() {
        return byModule;
    }

    /** Parameters that stay whole between steps (mark_persistent_parameters). */
    void markPersistent(long most, long mostOfAll) {
        long sum = 0;
        for (ShardedParameter p : all) {
            if (p.numel() <= most && p.numel() <= mostOfAll - sum) {
                p.setPersistent();
                sum += p.numel();
            }
        }
    }
}
