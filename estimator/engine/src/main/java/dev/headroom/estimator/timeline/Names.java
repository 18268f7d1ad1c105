package dev.headroom.estimator.timeline;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.Attribution;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.ModelState;
import java.util.HashMap;
import java.util.Map;

/** What Python calls the storages that have a name: parameters, buffers, gradients and optimizer state. */
final class Names {
    private final Map<Integer, String> byStorage = new HashMap<>();
    private final Map<Integer, String> owners = new HashMap<>();

    Names(Simulation run) {
        ModelTensors model = run.loop().model();
        if (model == null) {
            return;
        }
        Optimizer optimizer = run.loop().optimizer();
        for (int i = 0; i < model.parameters().size(); i++) {
            String name = model.parameterNames().get(i);
            Tensor parameter = model.parameters().get(i);
            if (parameter.grad() != null) {
                put(parameter.grad(), name + ".grad", name);
            }
            if (optimizer != null) {
                optimizer.state(i).forEach(state -> put(state, "state of " + name, name));
            }
        }
    }

    private void put(Tensor tensor, String name, String parameter) {
        byStorage.putIfAbsent(tensor.storage().number(), name);
        owners.putIfAbsent(tensor.storage().number(), ModelState.owner(parameter));
    }

    String of(int storage, Attribution madeBy) {
        boolean held = madeBy.operator().equals(ModelTensors.PARAMETER);
        return held ? madeBy.node() : byStorage.getOrDefault(storage, "");
    }

    /** The module whose parameter a storage is, or belongs to; else the one that made it. */
    String owner(int storage, Attribution madeBy) {
        return owners.getOrDefault(storage, madeBy.module());
    }
}
