package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/**
 * {@code addcmul}, {@code addcdiv} and {@code lerp} (aten/src/ATen/native/PointwiseOps.cpp, Lerp.cpp); derivatives as
 * in derivatives.yaml, operands evaluated from the right as GCC does.
 */
public final class TernaryFunctions {
    private static final Formula ADD_PRODUCT =
            new Formula("addcmul", "y0 = x0 + s0 * x1 * x2;", (x, s, y) -> y[0] = x[0] + s[0] * x[1] * x[2]);
    private static final Formula ADD_QUOTIENT =
            new Formula("addcdiv", "y0 = x0 + s0 * (x1 / x2);", (x, s, y) -> y[0] = x[0] + s[0] * (x[1] / x[2]));
    private static final Formula BETWEEN =
            new Formula("lerp", "y0 = x0 + s0 * (x1 - x0);", (x, s, y) -> y[0] = x[0] + s[0] * (x[1] - x[0]));
    private static final Formula BETWEEN_EACH =
            new Formula("lerp_each", "y0 = x0 + x2 * (x1 - x0);", (x, s, y) -> y[0] = x[0] + x[2] * (x[1] - x[0]));

    private TernaryFunctions() {}

    public static void register(Operators o) {
        o.add1("aten.addcmul", (e, a) -> product(e, a, false));
        o.add1("aten.addcmul_", (e, a) -> product(e, a, true));
        o.add1("aten.addcdiv", (e, a) -> quotient(e, a, false));
        o.add1("aten.addcdiv_", (e, a) -> quotient(e, a, true));
        o.add1("aten.lerp", (e, a) -> between(e, a, false));
        o.add1("aten.lerp_", (e, a) -> between(e, a, true));
    }

    private static Tensor product(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor t1 = a.tensor("tensor1");
        Tensor t2 = a.tensor("tensor2");
        double value = a.real("value", 1);
        Recorder r = e.record("AddcmulBackward0", x, t1, t2);
        SavedTensor first = r.saveIf(r.needs(2), t1);
        SavedTensor second = r.saveIf(r.needs(1), t2);
        Steps s = new Steps(e);
        r.backward(g -> new Tensor[] {
            r.needs(0) ? g[0] : null,
            r.needs(1) ? e.call(() -> s.times(g[0], s.times(second.get(), value))) : null,
            r.needs(2) ? e.call(() -> s.times(g[0], s.times(first.get(), value))) : null
        });
        return result(e, r, ADD_PRODUCT, inPlace, value, x, t1, t2);
    }

    private static Tensor quotient(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor t1 = a.tensor("tensor1");
        Tensor t2 = a.tensor("tensor2");
        double value = a.real("value", 1);
        Recorder r = e.record("AddcdivBackward0", x, t1, t2);
        SavedTensor first = r.saveIf(r.needs(2), t1);
        SavedTensor second = r.save(t2);
        Steps s = new Steps(e);
        r.backward(g -> new Tensor[] {
            r.needs(0) ? g[0] : null,
            r.needs(1) ? e.call(() -> s.times(g[0], s.inverse(value, second.get()))) : null,
            r.needs(2)
                    ? e.call(() -> {
                        Tensor square = s.times(second.get(), second.get());
                        Tensor share = s.over(s.times(first.get(), value), square);
                        return s.times(s.negative(g[0]), share);
                    })
                    : null
        });
        return result(e, r, ADD_QUOTIENT, inPlace, value, x, t1, t2);
    }

    private static Tensor result(Eager e, Recorder r, Formula formula, boolean inPlace, double value, Tensor... xs) {
        double[] numbers = {value};
        if (inPlace) {
            Elementwise.into(e, formula, numbers, xs[0], xs);
            return r.changed(xs[0]);
        }
        return r.output(Elementwise.map(e, formula, Promotion.common(xs), numbers, xs));
    }

    /** {@code lerp}, whose weight is a number or a tensor. */
    private static Tensor between(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor end = a.tensor("end");
        Steps s = new Steps(e);
        if (!a.isTensor("weight")) {
            double weight = a.real("weight", 0);
            Recorder r = e.record("LerpBackward0", x, end);
            r.backward(g -> {
                Tensor ofEnd = r.needs(1) ? Scaling.times(e, g[0], weight) : null;
                return new Tensor[] {r.needs(0) ? Scaling.times(e, g[0], 1 - weight) : null, ofEnd};
            });
            return result(e, r, BETWEEN, inPlace, weight, x, end);
        }
        Tensor weight = a.tensor("weight");
        Recorder r = e.record("LerpBackward1", x, end, weight);
        SavedTensor savedEnd = r.saveIf(r.needs(2), end);
        Tensor before = inPlace && r.needs(2) ? copied(e, x) : x;
        SavedTensor savedX = r.saveIf(r.needs(2), before);
        e.freeUnless(before, x);
        SavedTensor savedWeight = r.save(weight);
        r.backward(g -> {
            Tensor ofEnd = r.needs(1) ? s.times(g[0], savedWeight.get()) : null;
            Tensor ofX = r.needs(0) ? e.call(() -> s.times(g[0], s.from(1, savedWeight.get()))) : null;
            Tensor ofWeight = r.needs(2) ? e.call(() -> s.times(g[0], s.minus(savedEnd.get(), savedX.get()))) : null;
            return new Tensor[] {ofX, ofEnd, ofWeight};
        });
        return result(e, r, BETWEEN_EACH, inPlace, 0, x, end, weight);
    }

    private static Tensor copied(Eager e, Tensor x) {
        Tensor copy = e.emptyLike(x);
        Copies.fill(e, copy, x);
        return copy;
    }
}
