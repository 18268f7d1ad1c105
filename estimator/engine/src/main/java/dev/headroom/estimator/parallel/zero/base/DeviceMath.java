package dev.headroom.estimator.parallel.zero.base;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Arithmetic of steps as Python writes it: what a line makes lives until its name is bound again or its function ends.
 */
public final class DeviceMath {
    private final EagerRuntime runtime;
    private final Formula formula;

    public DeviceMath(EagerRuntime runtime) {
        this.runtime = runtime;
        this.formula = new Formula(runtime);
    }

    /** {@code torch._utils._flatten_dense_tensors}: a single tensor is its own flat one. */
    public Tensor flatten(List<Tensor> tensors) {
        try (Frame frame = runtime.frame()) {
            List<Tensor> flat = new ArrayList<>();
            for (Tensor t : tensors) {
                flat.add(view(Copies.contiguous(runtime, t)));
            }
            return frame.keep(flat.size() == 1 ? flat.get(0) : Joining.cat(runtime, 0, flat.toArray(Tensor[]::new)));
        }
    }

    /** {@code t.view(-1)}. */
    public Tensor view(Tensor t) {
        return narrow(t, 0, t.numel());
    }

    /** {@code t.view(-1).narrow(0, start, numel)}. */
    public Tensor narrow(Tensor t, long start, long numel) {
        return runtime.reinterpret(t, new long[] {numel}, new long[] {1}, t.offset() + start);
    }

    /** {@code t.double().norm(2)}. */
    public Tensor norm(Tensor t) {
        Tensor wide = Copies.to(runtime, t, DType.FLOAT64);
        Tensor out = vectorNorm(wide);
        runtime.freeUnless(wide, t);
        return out;
    }

    private Tensor vectorNorm(Tensor t) {
        DType type = t.dtype();
        return Reductions.reduce(runtime, t, Reductions.mask(null, t.dim()), false, type, Reductions.accumulator(type));
    }

    /** {@code torch.stack(scalars)}, whose names stay. */
    private Tensor stack(List<Tensor> scalars) {
        return Joining.stack(runtime, 0, scalars.toArray(Tensor[]::new));
    }

    /** {@code torch.stack(norms).square().sum()}, in some type. */
    public Tensor sumOfSquares(List<Tensor> norms, DType type) {
        Tensor stacked = stack(norms);
        Tensor squares = replaced(stacked);
        Tensor sum = Reductions.sum(runtime, squares, null, false, squares.dtype());
        runtime.free(squares);
        Tensor out = Copies.to(runtime, sum, type);
        runtime.freeUnless(sum, out);
        return out;
    }

    /** {@code t = f(t)}, of the same type. */
    public Tensor replaced(Tensor t) {
        Tensor out = formula.op(t);
        runtime.free(t);
        return out;
    }

    /** {@code f(t)}, of the same type. */
    public Tensor function(Tensor t) {
        return formula.op(t);
    }

    /** {@code t.isinf()}: an absolute value is made on the way. */
    public Tensor isInfinite(Tensor t) {
        Tensor absolute = formula.op(t);
        Tensor out = formula.test(absolute);
        runtime.free(absolute);
        return out;
    }

    /** {@code t.isnan()}. */
    public Tensor isNone(Tensor t) {
        return formula.test(t);
    }

    /** {@code a.logical_or(b)}. */
    public Tensor either(Tensor a, Tensor b) {
        return formula.test(a, b);
    }

    /** {@code torch.linalg.vector_norm(torch.stack(norms))}. */
    public Tensor normOf(List<Tensor> norms) {
        Tensor stacked = stack(norms);
        Tensor out = vectorNorm(stacked);
        runtime.free(stacked);
        return out;
    }

    /** Marks a number that is none (deepspeed/runtime/utils.py, mask_nan_or_inf_with_val_inplace). */
    public void mask(Tensor scalar) {
        try (Frame frame = runtime.frame()) {
            Tensor infinite = isInfinite(scalar);
            Tensor none = formula.test(scalar);
            formula.test(none, infinite);
            runtime.empty(DType.FLOAT32); // what it is filled with
        }
    }

    /** Whether a gradient holds what is no number (stage_1_and_2.py, _has_inf_or_nan). */
    public Tensor overflows(Tensor t) {
        try (Frame frame = runtime.frame()) {
            Tensor wide = Copies.to(runtime, t, DType.FLOAT32);
            Tensor none = formula.test(wide);
            Tensor infinite = isInfinite(wide);
            Tensor either = formula.test(none, infinite);
            Tensor number = Copies.to(runtime, either, DType.FLOAT32);
            Tensor out = Reductions.reduce(
                    runtime, number, Reductions.mask(null, number.dim()), false, DType.FLOAT32, DType.FLOAT32.bytes());
            return frame.keep(out);
        }
    }
}
