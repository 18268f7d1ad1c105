package dev.headroom.executor.op.shape;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** Lines of powers and of frequencies (aten/src/ATen/native/cuda/RangeFactories.cu, SpectralOps.cpp). */
public final class LineOperators {
    private static final Formula POWER =
            new Formula("power_of", "y0 = pow(s0, x0);", (x, s, y) -> y[0] = Math.pow(s[0], x[0]));

    private LineOperators() {}

    public static void register(Operators o) {
        o.add1("aten.linspace", LineOperators::evenly);
        o.add1("aten.logspace", LineOperators::powers);
        o.add1("aten.fft_fftfreq", (e, a) -> frequencies(e, a, false));
        o.add1("aten.fft_rfftfreq", (e, a) -> frequencies(e, a, true));
    }

    private static Tensor powers(Eager e, Arguments a) {
        Tensor out = evenly(e, a);
        if (out.elements() > 0) {
            Elementwise.into(e, POWER, new double[] {a.real("base", 10)}, out, out);
        }
        return out;
    }

    /** {@code linspace}. */
    private static Tensor evenly(Eager e, Arguments a) {
        long steps = a.integer("steps", 1);
        double start = a.real("start", 0);
        double step = steps > 1 ? (a.real("end", 0) - start) / (steps - 1) : 0;
        Tensor out = e.empty(a.dtypeOr(DType.FLOAT32), steps);
        if (steps > 0) {
            e.backend().indexing().range(out, start, step);
        }
        return out;
    }

    /** Of a transform's results: those from half on are negative, and left out of one of real numbers. */
    private static Tensor frequencies(Eager e, Arguments a, boolean half) {
        long n = a.integer("n", 1);
        double step = 1 / (n * a.real("d", 1));
        Tensor out = e.empty(a.dtypeOr(DType.FLOAT32), half ? n / 2 + 1 : n);
        if (half) {
            e.backend().indexing().range(out, 0, step);
            return out;
        }
        long positive = (n + 1) / 2;
        long[] one = {1};
        e.backend().indexing().range(e.alias(out, new long[] {positive}, one, 0), 0, step);
        if (n > positive) {
            Tensor rest = e.alias(out, new long[] {n - positive}, one, positive);
            e.backend().indexing().range(rest, -(n / 2) * step, step);
        }
        return out;
    }
}
