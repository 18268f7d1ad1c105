package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModuleTree;
import dev.headroom.model.graph.Shapes;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A model that was divided on the meta device, where it has no memory, and gets its shards' memory afterwards. */
final class MetaModel {
    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final Set<ShardedParameter> padded = new HashSet<>();

    MetaModel(EagerRuntime runtime, ModelTensors model) {
        this.runtime = runtime;
        this.model = model;
    }

    /**
     * {@code to_empty("cuda")} (torch/nn/modules/module.py, _apply): children first, a module's parameters before its
     * buffers. What modules share is made once for each, and the last one stays. A wrapped module pads what its unit
     * has, once all inside of it is there (torch/distributed/fsdp/_fully_shard/_fully_shard.py, FSDPModule._apply).
     *
     * @param wrapped parameters of the unit of each wrapped module
     */
    void materialise(ModelState state, Map<String, List<ShardedParameter>> wrapped) {
        apply("", new ModuleTree(state), wrapped);
    }

    private void apply(String module, ModuleTree modules, Map<String, List<ShardedParameter>> wrapped) {
        for (String child : modules.children(module)) {
            apply(child, modules, wrapped);
        }
        for (Map.Entry<String, ModelState.HeldTensor> e : modules.tensors(module)) {
            if (e.getValue().kind() != Graph.InputKind.CONSTANT) {
                materialise(e.getKey(), e.getValue());
            }
        }
        wrapped.getOrDefault(module, List.of()).forEach(this::pad);
    }

    private void materialise(String name, ModelState.HeldTensor held) {
        Tensor t = model.named(name);
        Category category = held.kind() == Graph.InputKind.PARAMETER ? Category.PARAMETERS : Category.BUFFERS;
        try (Frame frame = runtime.frame()) {
            long[] strides = Shapes.contiguous(t.sizes());
            Tensor made = runtime.emptyStrided(t.dtype(), t.sizes(), strides, category);
            runtime.setData(t, made, strides, 0);
        }
    }

    /** Rows that are fewer than other ranks' get padded memory (FSDPParam.reset_sharded_param). */
    private void pad(ShardedParameter p) {
        Tensor rows = p.sharded();
        if (!rows.onDevice() || rows.numel() == p.layout().paddedNumel() || !padded.add(p)) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            long[] sizes = {p.layout().paddedNumel()};
            Tensor made = runtime.emptyStrided(rows.dtype(), sizes, new long[] {1}, Category.PARAMETERS);
            runtime.setData(rows, made, rows.strides(), 0);
        }
    }
}
