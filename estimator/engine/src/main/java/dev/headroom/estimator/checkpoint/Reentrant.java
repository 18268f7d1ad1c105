package dev.headroom.estimator.checkpoint;

import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code checkpoint(…, use_reentrant=True)} (torch/utils/checkpoint.py, CheckpointFunction): the forward pass keeps no
 * graph; the backward pass runs the body again on detached inputs and then a backward pass of its own. The states of
 * random number generators that it keeps lie in host memory.
 */
final class Reentrant {
    private final EagerRuntime runtime;
    private final AutogradEngine engine;
    private final Body body;
    private final Saved[] saved;

    private final AutocastMode.State autocast;

    /** What stands for the first input, or {@code null} where it stays on the device. */
    private @Nullable Offloaded first;

    private Reentrant(EagerRuntime runtime, AutogradEngine engine, Body body, int inputs) {
        this.runtime = runtime;
        this.engine = engine;
        this.body = body;
        this.saved = new Saved[inputs];
        this.autocast = runtime.autocast().state();
    }

    static Tensor[] run(
            EagerRuntime runtime, AutogradEngine engine, Body body, Tensor[] inputs, int positional, boolean offload) {
        // A function without positions has no argument that might need a gradient, and so no node.
        Recorder r = runtime.record("CheckpointFunctionBackward", positional == 0 ? new Tensor[0] : inputs);
        boolean mode = runtime.setGradMode(false);
        Tensor[] outputs = body.run(inputs);
        runtime.setGradMode(mode);
        if (!r.records()) {
            return outputs;
        }
        Reentrant function = new Reentrant(runtime, engine, body, inputs.length);
        function.first = offload && inputs.length > 0 ? Offloaded.of(inputs[0]) : null;
        for (int i = function.first == null ? 0 : 1; i < inputs.length; i++) {
            function.saved[i] = i >= positional ? r.attach(inputs[i]) : r.save(inputs[i]);
        }
        long[][] sizes = new long[outputs.length][];
        DType[] types = new DType[outputs.length];
        for (int i = 0; i < outputs.length; i++) {
            sizes[i] = outputs[i].sizes();
            types[i] = outputs[i].dtype();
            if (Arrays.asList(inputs).contains(outputs[i])) {
                // torch/csrc/autograd/custom_function.cpp, _view_as_self_with_no_grad: it gets a history of its own
                outputs[i] = runtime.view(outputs[i], outputs[i].sizes(), outputs[i].strides(), outputs[i].offset());
            }
            r.output(outputs[i]);
        }
        r.gradients(grads -> function.backward(grads, sizes, types));
        return outputs;
    }

    private Tensor[] backward(Tensor[] grads, long[][] sizes, DType[] types) {
        // Undefined gradients are made up (ctx.materialize_grads) before Python sees them.
        Tensor[] given = grads.clone();
        for (int i = 0; i < given.length; i++) {
            if (given[i] == null && types[i].isFloatingPoint()) {
                given[i] = runtime.empty(types[i], sizes[i]);
            }
        }
        Tensor[] detached = new Tensor[saved.length];
        for (int i = 0; i < saved.length; i++) {
            Tensor input = i == 0 && first != null ? first.back(runtime) : saved[i].get();
            detached[i] = runtime.detach(input);
            runtime.requireGrad(detached[i], input.requiresGrad());
        }
        boolean mode = runtime.setGradMode(true);
        AutocastMode.State outside = runtime.autocast().enter(autocast);
        Tensor[] outputs = body.run(detached);
        runtime.autocast().exit(outside);
        runtime.setGradMode(mode);
        List<Tensor> roots = new ArrayList<>();
        List<Tensor> gradients = new ArrayList<>();
        for (int i = 0; i < outputs.length; i++) {
            if (outputs[i].requiresGrad()) {
                roots.add(outputs[i]);
                gradients.add(given[i]);
            }
        }
        engine.backward(roots.toArray(Tensor[]::new), gradients.toArray(Tensor[]::new));
        Tensor[] results = new Tensor[detached.length];
        for (int i = 0; i < results.length; i++) {
            results[i] = runtime.hold(detached[i].grad());
            runtime.adopt(results[i]);
        }
        return results;
    }
}
