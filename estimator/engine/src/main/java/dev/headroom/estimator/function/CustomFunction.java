package dev.headroom.estimator.function;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a {@code torch.autograd.Function}: the forward pass runs without autograd, which sees one node that keeps
 * what the function saved and runs its backward pass.
 *
 * <p>Source: torch/csrc/autograd/python_function.cpp, {@code THPFunction_apply} and {@code PyNode::apply}.
 */
public final class CustomFunction {
    /** One of the two passes: results with a reference each for the caller, {@code null} for one that is no tensor. */
    @FunctionalInterface
    public interface Pass {
        @Nullable
        Tensor[] run(List<@Nullable Tensor> inputs);
    }

    private final EagerRuntime runtime;
    private final String name;
    private final int results;
    private final BitSet attributes;
    private final Pass forward;
    private final Pass backward;

    /**
     * A function.
     *
     * @param name of its class
     * @param results how many tensors the forward pass returns; behind them it gives what the function keeps
     * @param attributes which of those it keeps as attributes of {@code ctx}, and not by {@code save_for_backward}
     * @param backward takes the gradients of the results and what was kept, and gives a gradient for each input
     */
    public CustomFunction(
            EagerRuntime runtime, String name, int results, BitSet attributes, Pass forward, Pass backward) {
        this.runtime = runtime;
        this.name = name;
        this.results = results;
        this.attributes = attributes;
        this.forward = forward;
        this.backward = backward;
    }

    /** {@code Function.apply}: the results are local variables of the running frame. */
    public @Nullable Tensor[] apply(List<@Nullable Tensor> inputs) {
        Recorder recorder = runtime.record(name + "Backward", inputs.toArray(Tensor[]::new));
        boolean mode = runtime.setGradMode(false);
        @Nullable Tensor[] made = forward.run(inputs);
        runtime.setGradMode(mode);
        adopt(made);
        @Nullable Tensor[] out = Arrays.copyOf(made, results);
        long[][] sizes = new long[results][];
        @Nullable DType[] types = new DType[results];
        for (int i = 0; i < results; i++) {
            Tensor t = out[i];
            if (t != null && i > 0 && inputs.contains(t)) {
                // custom_function.cpp, _view_as_self_with_no_grad: it gets a history of its own
                t = runtime.view(t, t.sizes(), t.strides(), t.offset());
                out[i] = t;
            }
            if (t == null) {
                recorder.nonDifferentiable(null);
                continue;
            }
            sizes[i] = t.sizes();
            types[i] = t.dtype();
            recorder.output(t);
        }
        Saved[] saved = new Saved[made.length - results];
        for (int i = 0; i < saved.length; i++) {
            saved[i] = keep(recorder, made[results + i], i, made);
        }
        recorder.gradients(gradients -> backward(gradients, saved, sizes, types));
        return out;
    }

    private Saved keep(Recorder recorder, @Nullable Tensor t, int index, @Nullable Tensor[] made) {
        if (t != null && attributes.get(index)) {
            return recorder.attach(t);
        }
        return t != null && Arrays.asList(made).indexOf(t) < results ? recorder.saveOutput(t) : recorder.save(t);
    }

    private @Nullable Tensor[] backward(
            @Nullable Tensor[] gradients, Saved[] saved, long[][] sizes, @Nullable DType[] types) {
        @Nullable Tensor[] given = Arrays.copyOf(gradients, results + saved.length);
        for (int i = 0; i < results; i++) {
            // Undefined gradients are made up (ctx.materialize_grads) before Python sees them.
            DType type = types[i];
            if (given[i] == null && type != null && type.isFloatingPoint()) {
                given[i] = runtime.empty(type, sizes[i]);
            }
        }
        for (int i = 0; i < saved.length; i++) {
            given[results + i] = saved[i].getOrNull();
        }
        @Nullable Tensor[] out = backward.run(Arrays.asList(given));
        adopt(out);
        return out;
    }

    private void adopt(@Nullable Tensor[] tensors) {
        for (Tensor t : tensors) {
            if (t != null) {
                runtime.adopt(t);
            }
        }
    }
}
