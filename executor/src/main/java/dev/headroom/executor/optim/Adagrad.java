package dev.headroom.executor.optim;

import static dev.headroom.executor.optim.Arithmetic.ADD_NUMBER;
import static dev.headroom.executor.optim.Arithmetic.ADD_PRODUCT;
import static dev.headroom.executor.optim.Arithmetic.ADD_QUOTIENT;
import static dev.headroom.executor.optim.Arithmetic.ADD_SCALED;
import static dev.headroom.executor.optim.Arithmetic.SCALE;
import static dev.headroom.executor.optim.Arithmetic.SQUARE_ROOT;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/** {@code torch.optim.Adagrad} (torch/optim/adagrad.py); its constructor makes the state of every parameter. */
final class Adagrad extends StatefulOptimizer {
    static final double EPS = 1e-10;

    /**
     * The fused kernel (aten/src/ATen/native/cuda/FusedAdagradKernel.cu). Operands: parameter, gradient, sum, scale,
     * found_inf; numbers: learning rate, weight decay, epsilon. Results: parameter, gradient (without its scale), sum.
     */
    private static final Formula FUSED = new Formula(
            "optim_fused_adagrad",
            "bool skip = x4 != 0; real g0 = x1 / x3; real g = g0 + s1 * x0; real t = x2 + g * g;"
                    + " y0 = skip ? x0 : x0 - s0 * g / (sqrt(t) + s2); y1 = skip ? x1 : g0; y2 = skip ? x2 : t;",
            (x, s, y) -> {
                boolean skip = x[4] != 0;
                double unscaled = x[1] / x[3];
                double g = unscaled + s[1] * x[0];
                double t = x[2] + g * g;
                y[0] = skip ? x[0] : x[0] - s[0] * g / (Math.sqrt(t) + s[2]);
                y[1] = skip ? x[1] : unscaled;
                y[2] = skip ? x[2] : t;
            });

    private final IdentityHashMap<Tensor, Tensor> sums = new IdentityHashMap<>();
    private final List<Tensor> stepsOnDevice = new ArrayList<>();

    Adagrad(Eager eager, List<Tensor> parameters, Implementation form, Hyperparameters h) {
        super(eager, parameters, form, h);
        try {
            parameters.forEach(this::initialise);
        } catch (RuntimeException e) {
            math.close();
            throw e;
        }
    }

    private void initialise(Tensor p) {
        if (form == Implementation.FUSED) {
            stepsOnDevice.add(math.keptScalar(0));
        }
        sums.put(p, math.keptZeros(p));
    }

    private Tensor sum(Tensor p) {
        return Objects.requireNonNull(sums.get(p), "a sum");
    }

    @Override
    public void step() {
        List<Tensor> trained =
                form == Implementation.FUSED ? Groups.withGradient(parameters) : Groups.withAnyGradient(parameters);
        Groups.refuseDecay(trained, h);
        switch (form) {
            case FOR_LOOP -> oneByOne(trained);
            case FOREACH -> listwise(trained);
            case FUSED -> step(Tensor.number(DType.FLOAT32, 1), Tensor.number(DType.FLOAT32, 0));
        }
    }

    /** _single_tensor_adagrad. */
    private void oneByOne(List<Tensor> trained) {
        try (Variable roots = new Variable(eager);
                SparseAdagrad sparse = new SparseAdagrad(eager, math, h);
                Variable grad = new Variable(eager)) {
            for (Tensor p : trained) {
                Tensor sum = sum(p);
                if (p.givenGrad().rows() != null) {
                    sparse.step(p, sum);
                    continue;
                }
                grad.bind(p.givenGrad());
                if (h.weightDecay() != 0) {
                    grad.assignOne(() -> math.fresh(ADD_SCALED, h.weightDecay(), grad.get(), p));
                }
                math.into(ADD_PRODUCT, 1, sum, grad.get(), grad.get());
                roots.assignOne(() -> math.fresh(SQUARE_ROOT, 0, sum));
                math.into(ADD_NUMBER, EPS, roots.get());
                math.into(ADD_QUOTIENT, -h.learningRate(), p, grad.get(), roots.get());
            }
        }
    }

    /** _multi_tensor_adagrad; a group with a sparse gradient goes one by one. */
    private void listwise(List<Tensor> trained) {
        try (Variable numerator = new Variable(eager);
                Variable roots = new Variable(eager);
                Variable grads = new Variable(eager)) {
            for (List<Tensor> ps : Groups.byType(trained)) {
                if (Groups.isSparse(ps)) {
                    oneByOne(ps);
                    continue;
                }
                List<Tensor> totals = Groups.each(ps, this::sum);
                grads.bind(Groups.each(ps, Tensor::givenGrad));
                if (h.weightDecay() != 0) {
                    grads.assign(() -> math.fresh(ADD_SCALED, h.weightDecay(), grads.list(), ps));
                }
                math.into(ADD_PRODUCT, 1, totals, grads.list(), grads.list());
                roots.assign(() -> math.fresh(SQUARE_ROOT, 0, totals));
                math.into(ADD_NUMBER, EPS, roots.list());
                if (h.weightDecay() != 0) {
                    math.into(SCALE, -h.learningRate(), grads.list());
                    numerator.bind(grads.list());
                } else {
                    numerator.assign(() -> math.fresh(SCALE, -h.learningRate(), grads.list()));
                }
                math.into(ADD_QUOTIENT, 1, ps, numerator.list(), roots.list());
            }
        }
    }

    /** _fused_adagrad. */
    @Override
    public void step(Tensor scale, Tensor foundInf) {
        double[] numbers = {h.learningRate(), h.weightDecay(), EPS};
        for (int i = 0; i < parameters.size(); i++) {
            Tensor p = parameters.get(i);
            Tensor g = p.grad();
            if (g == null) {
                continue;
            }
            // A step that was left out does not count.
            math.into(ADD_NUMBER, 1, stepsOnDevice.get(i));
            math.into(ADD_SCALED, -1, stepsOnDevice.get(i), foundInf);
            Tensor sum = sum(p);
            Tensor[] results = {p, g, sum};
            eager.backend().elementwise().map(FUSED, numbers, results, p, g, sum, scale, foundInf);
            p.storage().changed();
        }
    }
}
