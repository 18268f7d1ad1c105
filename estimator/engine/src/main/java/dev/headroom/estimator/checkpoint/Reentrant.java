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

    /** What the body is given by name: {@code run_function}, a plain attribute of {@code ctx}, holds it. */
    private final Tensor[] named;

    private final AutocastMode.State autocast;

    private Reentrant(EagerRuntime runtime, AutogradEngine engine, Body body, int inputs) {
        this.runtime = runtime;
        this.engine = engine;
        this.body = body;
        this.saved = new Saved[inputs];
        this.named = new Tensor[inputs];
        this.autocast = runtime.autocast().state();
    }

    static Tensor[] run(EagerRuntime runtime, AutogradEngine engine, Body body, Tensor[] inputs) {
        Recorder r = runtime.record("CheckpointFunctionBackward", inputs);
        boolean mode = runtime.setGradMode(false);
        Tensor[] outputs = body.run(inputs);
        runtime.setGradMode(mode);
        if (!r.records()) {
            return outputs;
        }
        Reentrant function = new Reentrant(runtime, engine, body, inputs.length);
        for (int i = 0; i < inputs.length; i++) {
            // What wants a gradient is given by position (transformers/modeling_layers.py, GradientCheckpointingLayer).
            if (inputs[i].requiresGrad()) {
                function.saved[i] = r.save(inputs[i]);
            } else {
                function.named[i] = inputs[i];
                r.attach(inputs[i]);
            }
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
            Tensor input = named[i] == null ? saved[i].get() : named[i];
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
