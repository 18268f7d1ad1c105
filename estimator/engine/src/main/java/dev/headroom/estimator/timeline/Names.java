package dev.headroom.estimator.timeline;

import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.predict.ParameterMemory;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.model.graph.ModelState;
import java.util.HashMap;
import java.util.Map;

/** What Python calls the storages that have a name: parameters, buffers, gradients and optimizer state. */
final class Names {
    private final Map<Integer, String> byStorage = new HashMap<>();
    private final Map<Integer, String> owners = new HashMap<>();

    Names(Simulation run) {
        for (ParameterMemory p : run.parameters()) {
            if (p.gradient() >= 0) {
                put(p.gradient(), p.name() + ".grad", p.name());
            }
            p.state().forEach(state -> put(state.storage(), "state of " + p.name(), p.name()));
        }
    }

    private void put(int storage, String name, String parameter) {
        byStorage.putIfAbsent(storage, name);
        owners.putIfAbsent(storage, ModelState.owner(parameter));
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
