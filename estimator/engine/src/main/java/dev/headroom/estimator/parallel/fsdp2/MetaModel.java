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
import dev.headroom.model.parallel.Parallelism;
import java.util.Map;

/** A model that was divided on the meta device, where it has no memory, and gets its shards' memory afterwards. */
final class MetaModel {
    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final boolean onHost;

    MetaModel(EagerRuntime runtime, ModelTensors model, Parallelism parallel) {
        this.runtime = runtime;
        this.model = model;
        this.onHost = parallel.cpuOffload();
    }

    /**
     * {@code to_empty(device)} (torch/nn/modules/module.py, _apply): children first, a module's parameters before its
     * buffers. What modules share is made once for each, and the last one stays.
     */
    void materialise(ModelState state) {
        if (!onHost) {
            apply("", new ModuleTree(state));
        }
    }

    private void apply(String module, ModuleTree modules) {
        for (String child : modules.children(module)) {
            apply(child, modules);
        }
        for (Map.Entry<String, ModelState.HeldTensor> e : modules.tensors(module)) {
            if (e.getValue().kind() != Graph.InputKind.CONSTANT) {
                materialise(e.getKey(), e.getValue());
            }
        }
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
    void pad(ShardedParameter p) {
        Tensor rows = p.sharded();
        if (onHost || rows.numel() == p.layout().paddedNumel()) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            Tensor padded = runtime.emptyStrided(
                    rows.dtype(), new long[] {p.layout().paddedNumel()}, new long[] {1}, Category.PARAMETERS);
            runtime.setData(rows, padded, rows.strides(), 0);
        }
    }
}
