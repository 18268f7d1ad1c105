package dev.headroom.estimator.optim.state;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.OptimizerArithmetic;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.scenario.TorchVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Parameters and what an optimizer keeps for each; shared by all optimizers. */
public final class OptimizerState {
    private final EagerRuntime runtime;
    private final List<Tensor> parameters;
    private final TorchVersion torch;
    private final List<List<Tensor>> kept = new ArrayList<>();

    public OptimizerState(EagerRuntime runtime, List<Tensor> parameters, TorchVersion torch) {
        this.runtime = runtime;
        this.torch = torch;
        this.parameters = parameters;
        parameters.forEach(p -> kept.add(new ArrayList<>(2)));
    }

    public EagerRuntime runtime() {
        return runtime;
    }

    /** Runs a Python function: what is made inside and neither kept nor bound to a name is gone when it returns. */
    public void function(Runnable body) {
        Frame frame = runtime.frame();
        try {
            body.run();
        } finally {
            frame.close();
        }
    }

    /** A new name of the function that runs. */
    public Variable variable() {
        return new Variable(runtime);
    }

    /** The version that runs. */
    public TorchVersion torch() {
        return torch;
    }

    /** Number of parameters. */
    public int size() {
        return parameters.size();
    }

    /** Positions of all parameters. */
    public List<Integer> all() {
        return IntStream.range(0, parameters.size()).boxed().toList();
    }

    public Tensor parameter(int i) {
        return parameters.get(i);
    }

    /** The gradient of a parameter that has one. */
    public Tensor gradient(int i) {
        return Objects.requireNonNull(parameters.get(i).grad(), "a gradient");
    }

    /** {@link #withAnyGradient} of an optimizer that takes dense gradients alone. */
    public List<Integer> withGradient() {
        List<Integer> out = withAnyGradient();
        if (out.stream().anyMatch(i -> gradient(i).indices() != null)) {
            throw new UserInputException("this optimizer does not take the sparse gradient of an embedding, and neither"
                    + " does PyTorch's; make the embedding sparse=False, or take `optimizer=sgd`");
        }
        return out;
    }

    /** Positions of the parameters that have a gradient: the others are left alone. */
    public List<Integer> withAnyGradient() {
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).grad() != null) {
                out.add(i);
            }
        }
        return out;
    }

    /**
     * Positions grouped by type, the type that appears last first: PyTorch's groups come out of an
     * {@code std::unordered_map}, in which libstdc++ puts a new key before all others as long as the keys' buckets
     * differ, and those of the floating-point types do (ATen/native/ForeachUtils.h,
     * _group_tensors_by_first_tensors_device_and_dtype). In 2.0 they come as they appear
     * (torch/utils/_foreach_utils.py), and before there are none.
     */
    public List<List<Integer>> groups(List<Integer> positions) {
        if (!torch.since(2, 0)) {
            return List.of(positions);
        }
        Map<DType, List<Integer>> groups = new LinkedHashMap<>();
        for (int i : positions) {
            groups.computeIfAbsent(parameters.get(i).dtype(), k -> new ArrayList<>())
                    .add(i);
        }
        List<List<Integer>> out = new ArrayList<>(groups.values());
        if (torch.since(2, 1)) {
            java.util.Collections.reverse(out);
        }
        return out;
    }

    public boolean isNew(int parameter) {
        return kept.get(parameter).isEmpty();
    }

    /** A tensor of a parameter's state, in the order in which they were added. */
    public Tensor kept(int parameter, int number) {
        return kept.get(parameter).get(number);
    }

    /** Adds a tensor of the running function to a parameter's state. */
    public void keep(int parameter, Tensor made) {
        runtime.setCategory(made, Category.OPTIMIZER_STATE);
        kept.get(parameter).add(runtime.hold(made));
        runtime.free(made);
    }

    /** Puts a tensor of the running function in the place of the first of a parameter's state. */
    public void replace(int parameter, Tensor made) {
        runtime.setCategory(made, Category.OPTIMIZER_STATE);
        runtime.release(kept.get(parameter).set(0, runtime.hold(made)));
        runtime.free(made);
    }

    /** Adds {@code zeros_like(like)} to a parameter's state. */
    public void addLike(int parameter, Tensor like) {
        add(parameter, like.dtype(), like.sizes(), Shapes.preserved(like.sizes(), like.strides()));
    }

    /** Adds {@code zeros_like(parameter, dtype=type)} to its state. */
    public void addLike(int parameter, DType type) {
        addLike(parameter, type, parameters.get(parameter));
    }

    /** Adds {@code zeros_like(like, dtype=type)} to a parameter's state. */
    public void addLike(int parameter, DType type, Tensor like) {
        add(parameter, type, like.sizes(), Shapes.preserved(like.sizes(), like.strides()));
    }

    /** Adds a row-major tensor to a parameter's state. */
    public void add(int parameter, DType type, long... sizes) {
        add(parameter, type, sizes, Shapes.contiguous(sizes));
    }

    private void add(int parameter, DType type, long[] sizes, long[] strides) {
        Tensor t = runtime.emptyStrided(type, sizes, strides, Category.OPTIMIZER_STATE);
        kept.get(parameter).add(runtime.hold(t));
        runtime.free(t);
    }

    /**
     * An operator reads gradients, or what lies as they do. Those of DTensors that are laid out otherwise than their
     * parameters are laid out anew for it, and gone when it ends (torch/distributed/tensor/_dispatch.py).
     *
     * @param times how often it takes them
     */
    public void read(List<Integer> positions, int times) {
        function(() -> {
            for (int k = 0; k < times; k++) {
                for (int i : positions) {
                    Distribution of = parameters.get(i).distribution();
                    if (of != null) {
                        of.ranks().redistribute(gradient(i), of.gradient(), of.placement(), of.sizes(), false);
                    }
                }
            }
        });
    }

    /** A parameter's state. */
    public List<Tensor> kept(int parameter) {
        return kept.get(parameter);
    }

    /** A list of temporaries, as {@code torch._foreach_sqrt} and a list comprehension make them. */
    public List<Tensor> each(List<Integer> positions, IntFunction<Tensor> make) {
        List<Tensor> out = new ArrayList<>(positions.size());
        for (int i : positions) {
            out.add(make.apply(i));
        }
        return out;
    }

    /** {@code grad.add(param, alpha=weight_decay)}. */
    public Tensor decayed(int i, Tensor grad) {
        if (grad.indices() != null) {
            throw new UserInputException("PyTorch has no weight decay of a parameter with a sparse gradient; leave out"
                    + " `weight_decay`, or make the embedding sparse=False");
        }
        return OptimizerArithmetic.elementwise(runtime, grad, parameter(i));
    }

    /** {@code torch._foreach_sqrt} of one of the tensors that each parameter's state holds. */
    public List<Tensor> roots(List<Integer> positions, int number) {
        return each(positions, i -> runtime.emptyLike(kept(i, number)));
    }
}
