package dev.headroom.estimator.loading;

import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;

/**
 * {@code prepare_model_for_kbit_training} (peft/utils/other.py): parameters in half precision become float32 one by
 * one, then the allocator's cache is emptied.
 */
final class KbitPreparation {
    private final EagerRuntime runtime;
    private final ModelAssembly model;

    KbitPreparation(EagerRuntime runtime, ModelAssembly model) {
        this.runtime = runtime;
        this.model = model;
    }

    void run() {
        model.state().tensors().forEach((name, held) -> {
            boolean once =
                    held.kind() == Graph.InputKind.PARAMETER && held.storage().equals(name) && !held.added();
            Tensor before = once ? model.named(name) : null;
            if (before != null && held.loadType() != null && held.loadType() != held.ownType()) {
                model.put(name, model.make(name));
                runtime.release(before);
            }
        });
        runtime.allocator().emptyCache();
    }
}
