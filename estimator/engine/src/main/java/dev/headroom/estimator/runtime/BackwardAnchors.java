package dev.headroom.estimator.runtime;

/** Calls before and after the part of a backward pass that lies between a call's outputs and its inputs. */
public final class BackwardAnchors {
    private BackwardAnchors() {}

    /**
     * Calls once, when the gradient of the first of these tensors is there and before the node runs that made it.
     * Takes no node: hooks of tensors do it.
     */
    public static void before(EagerRuntime runtime, Tensor[] outputs, Runnable call) {
        boolean[] called = {false};
        for (Tensor t : outputs) {
            if (t.requiresGrad()) {
                runtime.tape().addHook(t, gradient -> {
                    if (!called[0]) {
                        called[0] = true;
                        call.run();
                    }
                    return gradient;
                });
            }
        }
    }

    /**
     * Calls when the gradients of all these tensors are there. They go through a node whose results are the same
     * tensors again, views with a history of their own (torch/csrc/autograd/custom_function.cpp,
     * _view_as_self_with_no_grad).
     *
     * @return what is to be used in their place, locals of the running frame where a gradient is wanted, else
     *     themselves
     */
    public static Tensor[] after(EagerRuntime runtime, String node, Tensor[] inputs, Runnable call) {
        Tensor[] out = inputs.clone();
        Recorder r = runtime.record(node, inputs);
        if (!r.records()) {
            return out;
        }
        for (int i = 0; i < out.length; i++) {
            if (r.needs(i)) {
                Tensor t = inputs[i];
                out[i] = runtime.view(t, t.sizes(), t.strides(), t.offset());
                r.output(out[i]);
            } else {
                r.nonDifferentiable(null);
            }
        }
        r.gradients(gradients -> {
            call.run();
            return gradients;
        });
        return out;
    }

    /**
     * Calls when the gradient of a tensor goes through a node of its own, whose result is the tensor under another
     * name: a Python function whose forward is {@code detach()}.
     *
     * @return what is to be used in its place, a local of the running frame; itself where no gradient is wanted
     */
    public static Tensor through(EagerRuntime runtime, String node, Tensor t, Runnable call) {
        Recorder r = runtime.record(node, t);
        if (!r.records()) {
            return t;
        }
        Tensor out = runtime.detach(t);
        r.output(out);
        r.gradients(gradients -> {
            call.run();
            return gradients;
        });
        return out;
    }
}
