package dev.headroom.executor.checkpoint;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code checkpoint(…, use_reentrant=True)} (torch/utils/checkpoint.py, CheckpointFunction): one node stands for the
 * whole region. It keeps the inputs; its backward function runs the region again on detached inputs and then a
 * backward pass of its own through it. Where no input requires a gradient there is no node, and the region's
 * parameters get none.
 */
public final class ReentrantCheckpoint {
    /** What an output looked like, for the gradient of one that nothing used. */
    private record Result(DType dtype, long[] sizes) {}

    private final Eager eager;
    private final BackwardPass backwardPass;
    private final Body body;
    private final Surroundings surroundings;
    private final SavedTensor[] inputs;
    private final List<Result> results = new ArrayList<>();

    private ReentrantCheckpoint(Eager eager, BackwardPass backwardPass, Body body, int inputs) {
        this.eager = eager;
        this.backwardPass = backwardPass;
        this.body = body;
        this.surroundings = new Surroundings(eager);
        this.inputs = new SavedTensor[inputs];
    }

    /** Runs a region; inputs and outputs as {@link Body} has them. */
    public static Tensor[] run(Eager eager, BackwardPass backwardPass, Body body, Tensor[] inputs) {
        ReentrantCheckpoint checkpoint = new ReentrantCheckpoint(eager, backwardPass, body, inputs.length);
        Recorder r = eager.record("CheckpointFunctionBackward", inputs);
        boolean mode = eager.tape().setEnabled(false);
        Tensor[] outputs;
        try {
            outputs = body.run(inputs);
        } finally {
            eager.tape().setEnabled(mode);
        }
        for (int i = 0; i < inputs.length; i++) {
            checkpoint.inputs[i] = r.save(inputs[i]);
        }
        r.backward(checkpoint::backward);
        for (int i = 0; i < outputs.length; i++) {
            if (Arrays.asList(inputs).contains(outputs[i])) {
                // torch/csrc/autograd/custom_function.cpp, _view_as_self_with_no_grad
                outputs[i] = eager.view(outputs[i], outputs[i].sizes(), outputs[i].strides(), outputs[i].offset());
            }
            Tensor output = outputs[i];
            if (output.dtype().isFloatingPoint()) { // others have no gradient
                r.output(output);
                checkpoint.results.add(new Result(output.dtype(), output.sizes()));
            }
        }
        return outputs;
    }

    private Tensor[] backward(Tensor[] gradients) {
        Tensor[] out = new Tensor[inputs.length];
        try (Scope s = eager.open()) {
            Tensor[] complete = complete(gradients);
            Tensor[] detached = new Tensor[inputs.length];
            for (int i = 0; i < detached.length; i++) {
                Tensor input = inputs[i].get();
                detached[i] = eager.detach(input);
                detached[i].requireGrad(input.requiresGrad());
            }
            List<Tensor> roots = new ArrayList<>();
            surroundings.again(() -> roots.addAll(List.of(body.run(detached))));
            roots.removeIf(t -> !t.dtype().isFloatingPoint());
            backwardPass.run(roots.toArray(Tensor[]::new), complete);
            for (int i = 0; i < out.length; i++) {
                out[i] = s.pass(eager.adopt(eager.hold(detached[i].grad())));
            }
        }
        return out;
    }

    /** Gradients that nobody brought are zeros before Python sees them ({@code ctx.set_materialize_grads}). */
    private Tensor[] complete(Tensor[] gradients) {
        Tensor[] out = gradients.clone();
        for (int i = 0; i < out.length; i++) {
            if (out[i] == null) {
                out[i] = eager.empty(results.get(i).dtype(), results.get(i).sizes());
                eager.backend().elementwise().fill(out[i], 0);
            }
        }
        return out;
    }
}
