package dev.headroom.estimator.parallel.dp;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Copies of a model, one a GPU; the first uses the model's own memory (torch/nn/parallel/replicate.py). */
final class Replicas {
    private final EagerRuntime runtime;
    private final ModelTensors model;
    private final Coalesced coalesced;
    private final int devices;

    Replicas(EagerRuntime runtime, ModelTensors model, Coalesced coalesced, int devices) {
        this.runtime = runtime;
        this.model = model;
        this.coalesced = coalesced;
        this.devices = devices;
    }

    /** By device: what takes the place of each tensor of the model; local variables of the running frame. */
    List<Map<Tensor, Tensor>> make() {
        List<Map<Tensor, Tensor>> out = new ArrayList<>();
        for (int d = 0; d < devices; d++) {
            out.add(new HashMap<>());
        }
        put(out, model.parameters(), parameters());
        boolean before = runtime.setGradMode(false);
        put(out, model.buffers(), coalesced.broadcast(model.buffers()));
        runtime.setGradMode(before);
        return out;
    }

    private static void put(List<Map<Tensor, Tensor>> out, List<Tensor> keys, Tensor[][] copies) {
        for (int d = 0; d < copies.length; d++) {
            for (int i = 0; i < keys.size(); i++) {
                out.get(d).put(keys.get(i), copies[d][i]);
            }
        }
    }

    /** Copies through a node, which has gradients go to the parameters (torch/nn/parallel/_functions.py, Broadcast). */
    private Tensor[][] parameters() {
        List<Tensor> own = model.parameters();
        Recorder node = runtime.record("BroadcastBackward", own.toArray(new Tensor[0]));
        boolean before = runtime.setGradMode(false);
        Tensor[][] out = coalesced.broadcast(own);
        for (int i = 0; i < own.size(); i++) {
            Tensor p = own.get(i);
            out[0][i] = runtime.reinterpret(p, p.sizes(), p.strides(), p.offset());
        }
        runtime.setGradMode(before);
        for (Tensor[] ofDevice : out) {
            for (int i = 0; i < ofDevice.length; i++) {
                if (own.get(i).requiresGrad()) {
                    node.output(ofDevice[i]);
                } else {
                    node.nonDifferentiable(ofDevice[i]);
                }
            }
        }
        node.gradients(grads -> reduce(grads, own));
        return out;
    }

    /** Sums the gradients of all copies; one that never came is all zeros. */
    private Tensor[] reduce(Tensor[] grads, List<Tensor> own) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int d = 0; d < devices; d++) {
            int from = d * own.size();
            List<Tensor> ofDevice = new ArrayList<>(Arrays.asList(grads).subList(from, from + own.size()));
            runtime.devices().use(d);
            for (int i = 0; i < own.size(); i++) {
                if (ofDevice.get(i) == null) {
                    ofDevice.set(
                            i,
                            Creation.zeros(
                                    runtime, own.get(i).dtype(), own.get(i).sizes()));
                }
            }
            all.add(ofDevice);
        }
        runtime.devices().use(0);
        return coalesced.reduce(all);
    }
}
