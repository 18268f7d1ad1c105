package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph.InputKind;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.ModuleTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A model made under {@code deepspeed.zero.Init} (deepspeed/runtime/zero/partition_parameters.py): tensors are made on
 * the device in Python's default type and converted one by one, and when a module's constructor ends, its own
 * parameters are divided; children end before their parents.
 */
final class DividedConstruction {
    private final EagerRuntime runtime;
    private final ModuleTree modules;
    private final ModelTensors tensors;
    private final Consumer<ShardedParameter> broadcast;
    private final Consumer<ShardedParameter> shard;
    private final boolean partsOnHost;
    private final Map<Tensor, ShardedParameter> of = new HashMap<>();

    private final List<Tensor> replaced = new ArrayList<>();

    DividedConstruction(
            EagerRuntime runtime,
            ModelState state,
            ModelTensors tensors,
            Consumer<ShardedParameter> broadcast,
            Consumer<ShardedParameter> shard,
            boolean partsOnHost) {
        this.runtime = runtime;
        this.modules = new ModuleTree(state);
        this.tensors = tensors;
        this.broadcast = broadcast;
        this.shard = shard;
        this.partsOnHost = partsOnHost;
    }

    /**
     * Makes all.
     *
     * @return parts of weights that a tie has replaced, each with a reference for the caller: what DeepSpeed binds to a
     *     parameter refers to it in turn, so that Python lets go of them only when it looks for cycles
     */
    List<Tensor> make(List<ShardedParameter> parameters) {
        parameters.forEach(p -> of.put(p.tensor(), p));
        walk("");
        return replaced;
    }

    private void walk(String module) {
        modules.children(module).forEach(this::walk);
        List<Map.Entry<String, HeldTensor>> own = modules.tensors(module).stream()
                .filter(e -> !e.getValue().added() && e.getValue().kind() != InputKind.CONSTANT)
                .toList();
        List<Tensor> ties = new ArrayList<>();
        for (Map.Entry<String, HeldTensor> e : own) {
            Tensor t = tensors.named(e.getKey());
            runtime.attribute(runtime.number(new Attribution(module, ModelTensors.PARAMETER, e.getKey())));
            try (Frame frame = runtime.frame()) {
                Tensor made = made(t, e.getValue());
                if (isFirst(e)) {
                    runtime.setData(t, made, t.strides(), 0);
                } else {
                    ties.add(runtime.hold(made));
                }
            }
        }
        for (Map.Entry<String, HeldTensor> e : own) {
            ShardedParameter p = of.get(tensors.named(e.getKey()));
            if (p != null && isFirst(e)) {
                shard.accept(p);
            } else if (p != null) {
                broadcast.accept(p);
                if (!partsOnHost) {
                    replaced.add(part(p));
                }
            }
        }
        ties.forEach(runtime::release);
    }

    /** What a tie replaces is divided before. */
    private Tensor part(ShardedParameter p) {
        try (Frame frame = runtime.frame()) {
            return runtime.hold(
                    runtime.emptyStrided(p.type(), new long[] {p.shardNumel()}, new long[] {1}, Category.PARAMETERS));
        }
    }

    private static boolean isFirst(Map.Entry<String, HeldTensor> e) {
        return e.getValue().storage().equals(e.getKey());
    }

    /** A buffer is computed, by lines that no archive has: only its end counts. */
    private Tensor made(Tensor t, HeldTensor held) {
        if (held.kind() != InputKind.PARAMETER) {
            return runtime.emptyStrided(t.dtype(), t.sizes(), t.strides(), Category.BUFFERS);
        }
        DType first = held.type(null);
        Tensor made = runtime.emptyStrided(first, t.sizes(), t.strides(), Category.PARAMETERS);
        if (first == t.dtype()) {
            return made;
        }
        Tensor converted = runtime.emptyStrided(t.dtype(), t.sizes(), t.strides(), Category.PARAMETERS);
        runtime.free(made);
        return converted;
    }
}
