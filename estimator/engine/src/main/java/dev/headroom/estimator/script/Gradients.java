package dev.headroom.estimator.script;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code torch.autograd.grad(outputs, inputs, grad_outputs, retain_graph, create_graph)}. */
final class Gradients {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;

    Gradients(TrainingLoop loop) {
        this.loop = loop;
        this.runtime = loop.runtime();
    }

    /**
     * A gradient for each input, as a tuple.
     *
     * @param given by position, and {@code named}: their references are taken over
     */
    Value of(List<Value> given, Map<String, Value> named) {
        Tensor output = Evaluator.one("grad", argument(0, "outputs", given, named));
        List<Tensor> inputs = tensors(argument(1, "inputs", given, named));
        boolean recorded = isTrue(named.get("create_graph"));
        boolean retains = isTrue(named.get("retain_graph"));
        Tensor[] made;
        try (Frame frame = runtime.frame()) {
            Value start = argument(2, "grad_outputs", given, named);
            Tensor first = start == null ? runtime.emptyLike(output) : Evaluator.one("grad", start);
            made = loop.engine().gradients(output, first, inputs, retains, recorded, g -> g);
        }
        given.forEach(v -> Value.release(runtime, v));
        named.values().forEach(v -> Value.release(runtime, v));
        if (Arrays.asList(made).contains(null)) {
            throw new UserInputException("grad() is asked for a tensor that the output does not depend on");
        }
        return new Value.Tensors(List.of(made), true);
    }

    /**
     * {@code vmap(grad(f))}: gradients of every sample for itself, where the function gave this loss. Played as the
     * backward pass of the whole batch whose gradients of parameters have the samples as a first dimension; the copies
     * that batched kernels make on the way are not, so that it counts as a bound.
     */
    Value ofSamples(Value loss, List<Tensor> parameters, Value input) {
        long samples = Evaluator.one("per_sample_grad", input).size(0);
        Tensor[] made;
        try (Frame frame = runtime.frame()) {
            Tensor output = Evaluator.one("per_sample_grad", loss);
            made = loop.engine().gradients(output, runtime.emptyLike(output), parameters, false, false, g -> {
                long[] sizes = new long[g.dim() + 1];
                sizes[0] = samples;
                System.arraycopy(g.sizes(), 0, sizes, 1, g.dim());
                return runtime.empty(g.dtype(), sizes);
            });
        }
        loop.engine().recorded().note("per_sample_grad");
        Value.release(runtime, loss);
        Value.release(runtime, input);
        return new Value.Tensors(Arrays.stream(made).filter(t -> t != null).toList(), true);
    }

    private static @Nullable Value argument(int position, String name, List<Value> given, Map<String, Value> named) {
        return position < given.size() ? given.get(position) : named.get(name);
    }

    private static List<Tensor> tensors(@Nullable Value value) {
        if (value instanceof Value.Sequence s) {
            List<Tensor> all = new ArrayList<>();
            s.parts().forEach(part -> all.addAll(tensors(part)));
            return all;
        }
        return List.of(Evaluator.one("grad", value));
    }

    private static boolean isTrue(@Nullable Value value) {
        return value instanceof Value.Flag f && f.value();
    }
}
