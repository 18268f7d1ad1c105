package dev.headroom.validation.real;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * How Liger-Kernel measures a layer (benchmark/scripts/utils.py, _test_memory): forward and {@code
 * y.backward(do, retain_graph=True)} again and again, of losses without a graph that stays. The gradient that comes in
 * is there from the start, and gradients are never let go of; those of several results are torch.autograd.grad's.
 */
final class LayerBenchmark implements LoopHook {
    /** Begins the names of inputs that need no gradient. */
    static final String FIXED = "fixed_";

    private TrainingLoop loop;
    private List<Tensor> results = List.of();
    private final List<Tensor> upstream = new ArrayList<>();

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    @Override
    public void begin(Moment phase) {
        if (phase.phase() == Phase.FORWARD) {
            loop.batch().values().forEach((name, t) -> {
                if (name.startsWith(FIXED)) {
                    multiply();
                }
                if (!name.startsWith(FIXED) && t.isLeaf() && t.dtype().isFloatingPoint()) {
                    loop.runtime().requireGrad(t, true);
                }
            });
        }
    }

    /** A module multiplied matrices for what is fixed. */
    private void multiply() {
        try (Frame frame = loop.runtime().frame()) {
            loop.runtime().workspaces().useBlas();
        }
    }

    @Override
    public void zeroGrad(Runnable own) {
        // Nobody calls it.
    }

    /** The result itself; a loss is a result of one element. */
    @Override
    public Tensor loss(Tensor output, UnaryOperator<Tensor> own) {
        return output;
    }

    @Override
    public Tensor[] outputs(Tensor[] made) {
        results = List.of(made);
        return made;
    }

    @Override
    public void backward(Runnable own) {
        EagerRuntime runtime = loop.runtime();
        if (upstream.isEmpty()) {
            results.forEach(y -> upstream.add(runtime.hold(runtime.emptyLike(y, type()))));
        }
        if (results.size() > 1) { // torch.autograd.grad
            loop.batch().values().values().forEach(t -> runtime.setGrad(t, null));
        }
        for (int i = results.size() - 1; i >= 0; i--) { // what was computed last comes first
            Tensor y = results.get(i);
            Tensor given = upstream.get(i);
            if (y.dim() == 0) {
                loop.engine().backward(y, given);
            } else {
                loop.engine().backwardAndRetain(y, given.dtype() == y.dtype() ? given : runtime.emptyLike(y));
            }
        }
        results = List.of();
    }

    /** {@code torch.randn_like(x)}: of the input's type, be the result's another. */
    private DType type() {
        return loop.batch().values().values().stream()
                .map(Tensor::dtype)
                .filter(DType::isFloatingPoint)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void end(Moment phase) {
        if (phase.phase() == Phase.BACKWARD) {
            loop.variables().delete();
        }
    }
}
