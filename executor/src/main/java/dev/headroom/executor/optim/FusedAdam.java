package dev.headroom.executor.optim;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/** The fused form of Adam, one kernel a parameter (aten/src/ATen/native/cuda/fused_adam_utils.cuh, adam_math). */
final class FusedAdam {
    /**
     * Operands: parameter, gradient, average, squares, largest squares, step, scale, found_inf. Numbers: learning rate,
     * weight decay, whether that is AdamW's, AMSGrad, the betas, epsilon. Results: parameter, gradient (without its
     * scale), average, squares, and with AMSGrad the largest squares.
     */
    private static final Formula STEP = formula("optim_fused_adam", "");

    private static final Formula STEP_AMSGRAD = formula("optim_fused_amsgrad", " y4 = skip ? x4 : w;");

    private FusedAdam() {}

    private static Formula formula(String name, String largest) {
        return new Formula(
                name,
                "bool skip = x7 != 0; real g0 = x1 / x6; real p = s2 != 0 ? x0 - s0 * s1 * x0 : x0;"
                        + " real g = s2 != 0 ? g0 : g0 + s1 * x0;"
                        + " real m = x2 + (1 - s4) * (g - x2); real v = x3 + (1 - s5) * (g * g - x3);"
                        + " real w = s3 != 0 ? (x4 > v ? x4 : v) : v;"
                        + " real d = sqrt(w) / sqrt(1 - pow((real) s5, x5)) + s6;"
                        + " y0 = skip ? x0 : p - s0 / (1 - pow((real) s4, x5)) * m / d; y1 = skip ? x1 : g0;"
                        + " y2 = skip ? x2 : m; y3 = skip ? x3 : v;"
                        + largest,
                FusedAdam::host);
    }

    private static void host(double[] x, double[] s, double[] y) {
        if (x[7] != 0) {
            System.arraycopy(x, 0, y, 0, y.length);
            return;
        }
        boolean decoupled = s[2] != 0;
        double unscaled = x[1] / x[6];
        double p = decoupled ? x[0] - s[0] * s[1] * x[0] : x[0];
        double g = decoupled ? unscaled : unscaled + s[1] * x[0];
        double m = x[2] + (1 - s[4]) * (g - x[2]);
        double v = x[3] + (1 - s[5]) * (g * g - x[3]);
        double w = s[3] != 0 ? Math.max(x[4], v) : v;
        double d = Math.sqrt(w) / Math.sqrt(1 - Math.pow(s[5], x[5])) + s[6];
        y[0] = p - s[0] / (1 - Math.pow(s[4], x[5])) * m / d;
        y[1] = unscaled;
        y[2] = m;
        y[3] = v;
        if (y.length > 4) {
            y[4] = w;
        }
    }

    /** _fused_adam for parameters of one type. */
    static void step(
            Eager eager,
            Arithmetic math,
            List<Tensor> parameters,
            Function<Tensor, Adam.State> states,
            Hyperparameters h,
            boolean decoupled,
            Tensor scale,
            Tensor foundInf) {
        double[] numbers = {
            h.learningRate(), h.weightDecay(), decoupled ? 1 : 0, h.amsgrad() ? 1 : 0, Adam.BETA1, Adam.BETA2, Adam.EPS
        };
        for (Tensor p : parameters) {
            math.into(Arithmetic.ADD_NUMBER, 1, states.apply(p).counter());
        }
        for (Tensor p : parameters) {
            Adam.State s = states.apply(p);
            Tensor g = p.givenGrad();
            Tensor[] results = h.amsgrad()
                    ? new Tensor[] {p, g, s.average, s.squares, s.largest}
                    : new Tensor[] {p, g, s.average, s.squares};
            eager.backend()
                    .elementwise()
                    .map(
                            h.amsgrad() ? STEP_AMSGRAD : STEP,
                            numbers,
                            results,
                            p,
                            g,
                            s.average,
                            s.squares,
                            s.second(),
                            s.counter(),
                            scale,
                            foundInf);
            p.storage().changed();
        }
        for (Tensor p : parameters) {
            // A step that was left out does not count.
            math.into(Arithmetic.ADD_SCALED, -1, states.apply(p).counter(), foundInf);
        }
    }
}
