package dev.headroom.estimator.loading;

import dev.headroom.estimator.program.ModelAssembly;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.graph.ModelState.HeldTensor;
import java.util.Map;
import java.util.Objects;

/**
 * {@code tie_weights()} pads the bias beside a weight that it ties, by nothing: the bias is copied
 * (transformers/modeling_utils.py, _adjust_bias).
 */
final class TiedBiases {
    private static final String BIAS = ".bias";

    private final EagerRuntime runtime;
    private final ModelAssembly model;

    TiedBiases(EagerRuntime runtime, ModelAssembly model) {
        this.runtime = runtime;
        this.model = model;
    }

    void copy() {
        Map<String, HeldTensor> all = model.state().tensors();
        all.keySet().stream().filter(name -> !name.endsWith(BIAS)).forEach(this::copyBeside); // weights are tied first
        all.keySet().stream().filter(name -> name.endsWith(BIAS)).forEach(this::copyBeside);
    }

    private void copyBeside(String name) {
        Map<String, HeldTensor> all = model.state().tensors();
        HeldTensor held = Objects.requireNonNull(all.get(name), name);
        boolean alias =
                held.kind() == Graph.InputKind.PARAMETER && !held.storage().equals(name);
        if (!alias) {
            return;
        }
        String own = ModelState.owner(name) + BIAS;
        String bias = all.containsKey(own) ? own : ModelState.owner(held.storage()) + BIAS;
        HeldTensor beside = all.get(bias);
        if (beside != null && model.named(bias) != null) {
            copy(bias, !name.equals(bias) && !beside.storage().equals(bias));
        }
    }

    /** @param tiedNext whether the copy is let go of at once, since the bias is tied as well */
    private void copy(String bias, boolean tiedNext) {
        Tensor made = model.make(bias);
        if (tiedNext) {
            runtime.release(made);
        } else {
            Tensor before = model.named(bias);
            model.put(bias, made);
            runtime.release(before);
        }
    }
}
