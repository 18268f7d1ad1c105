package dev.headroom.estimator.op.normalization;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The words of formulas in FunctionsManual.cpp: each gives a temporary of the running statement, recorded. */
final class Derivation {
    private static final Registry NONE = new Registry();

    private final EagerRuntime rt;
    private final Body b;

    Derivation(EagerRuntime rt) {
        this.rt = rt;
        this.b = new Body(rt, NONE);
    }

    /** Ends a statement; its value is a variable from now on. */
    Tensor let(Tensor value) {
        return b.let(value);
    }

    /** {@code name = value} for a variable. */
    Tensor assign(Tensor variable, Tensor value) {
        return b.assign(variable, value);
    }

    /** Ends a variable of a scope within. */
    void drop(Tensor variable) {
        b.drop(variable);
    }

    /** Ends the function; {@code null} is let through. */
    Tensor[] give(@Nullable Tensor... results) {
        b.giveAll(Arrays.stream(results).filter(Objects::nonNull).toArray(Tensor[]::new));
        return results;
    }

    Tensor number() {
        return rt.wrappedNumber(DType.FLOAT32);
    }

    Tensor mul(Tensor x, Tensor y) {
        return b.made(Pointwise.mul(rt, x, y));
    }

    Tensor scaled(Tensor x) {
        return mul(x, number());
    }

    Tensor div(Tensor x) {
        return b.made(Pointwise.divByNumber(rt, x, number()));
    }

    Tensor add(Tensor x, Tensor y) {
        return b.made(Pointwise.add(rt, x, y));
    }

    Tensor sub(Tensor x, Tensor y) {
        return b.made(Pointwise.sub(rt, x, y));
    }

    Tensor exp(Tensor x) {
        return b.made(Pointwise.exp(rt, x));
    }

    Tensor neg(Tensor x) {
        return b.made(Pointwise.neg(rt, x));
    }

    Tensor pow(Tensor x, double exponent) {
        return b.made(Pointwise.pow(rt, x, exponent, x.dtype()));
    }

    Tensor divInPlace(Tensor x) {
        return Pointwise.divInPlace(rt, x, number());
    }

    Tensor mulInPlace(Tensor x) {
        return Pointwise.mulInPlace(rt, x, number());
    }

    Tensor addInPlace(Tensor x, Tensor y) {
        return Pointwise.addInPlace(rt, x, y, false);
    }

    /** {@code x.sub_(y)}. */
    static Tensor less(EagerRuntime rt, Tensor x, Tensor y) {
        return Pointwise.addInPlace(rt, x, y, true);
    }

    Tensor sum(Tensor x, long dim, boolean keep) {
        return b.made(Reductions.sum(rt, x, new long[] {dim}, keep, x.dtype()));
    }

    /** {@code r = r.sum(dim, keepdim)} for the variable of a function that the statement calls. */
    Tensor summedOn(Tensor r, long dim, boolean keep) {
        Tensor out = sum(r, dim, keep);
        b.gone(r);
        return out;
    }

    Tensor reshape(Tensor x, long... sizes) {
        return b.made(Views.reshape(rt, x, sizes));
    }

    Tensor expand(Tensor x, long... sizes) {
        return b.made(Views.expand(rt, x, sizes));
    }

    Tensor unsqueeze(Tensor x, long dim) {
        return b.made(Views.unsqueeze(rt, x, dim));
    }

    /** {@code at::ones({}, options)}. */
    Tensor one(DType type) {
        return b.made(rt.empty(type));
    }

    /** What something else than a formula made. */
    Tensor made(Tensor t) {
        return b.made(t);
    }
}
