package dev.headroom.executor.optim;

import static dev.headroom.executor.optim.Arithmetic.ADD_SCALED;
import static dev.headroom.executor.optim.Arithmetic.SCALE;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.SparseRows;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/** {@code torch.optim.SGD} (torch/optim/sgd.py). */
final class Sgd extends StatefulOptimizer {
    /**
     * The fused kernel (aten/src/ATen/native/cuda/fused_sgd_utils.cuh). Operands: parameter, gradient, buffer, scale,
     * found_inf; numbers: learning rate, weight decay, momentum, whether the buffer is new, Nesterov. Results:
     * parameter, gradient (without its scale), buffer.
     */
    private static final Formula FUSED = new Formula(
            "optim_fused_sgd",
            "real g = x1 / x3; real d = g + s1 * x0;"
                    + " real b = s3 != 0 ? d : s2 * x2 + d; real u = s4 != 0 ? d + s2 * b : b;"
                    + " bool skip = x4 != 0; y0 = skip ? x0 : x0 - s0 * u; y1 = skip ? x1 : g; y2 = skip ? x2 : b;",
            (x, s, y) -> {
                boolean skip = x[4] != 0;
                double g = x[1] / x[3];
                double d = g + s[1] * x[0];
                double b = s[3] != 0 ? d : s[2] * x[2] + d;
                double u = s[4] != 0 ? d + s[2] * b : b;
                y[0] = skip ? x[0] : x[0] - s[0] * u;
                y[1] = skip ? x[1] : g;
                y[2] = skip ? x[2] : b;
            });
    /** The same without a buffer: parameter, gradient, scale, found_inf. */
    private static final Formula FUSED_PLAIN = new Formula(
            "optim_fused_plain_sgd",
            "real g = x1 / x2; bool skip = x3 != 0; y0 = skip ? x0 : x0 - s0 * (g + s1 * x0); y1 = skip ? x1 : g;",
            (x, s, y) -> {
                boolean skip = x[3] != 0;
                double g = x[1] / x[2];
                double p = x[0];
                y[0] = skip ? p : p - s[0] * (g + s[1] * p);
                y[1] = skip ? x[1] : g;
            });

    private final IdentityHashMap<Tensor, Tensor> buffers = new IdentityHashMap<>();

    private final SparseMomentum sparse;

    Sgd(Eager eager, List<Tensor> parameters, Implementation form, Hyperparameters h) {
        super(eager, parameters, form, h);
        this.sparse = new SparseMomentum(eager);
    }

    @Override
    public void step() {
        List<Tensor> trained =
                form == Implementation.FUSED ? Groups.withGradient(parameters) : Groups.withAnyGradient(parameters);
        Groups.refuseDecay(trained, h);
        switch (form) {
            case FOR_LOOP -> oneByOne(trained);
            case FOREACH -> listwise(trained);
            case FUSED -> fused(trained, Tensor.number(DType.FLOAT32, 1), Tensor.number(DType.FLOAT32, 0));
        }
    }

    @Override
    public void step(Tensor scale, Tensor foundInf) {
        fused(Groups.withGradient(parameters), scale, foundInf);
    }

    /** _single_tensor_sgd. */
    private void oneByOne(List<Tensor> trained) {
        try (Variable grad = new Variable(eager)) {
            for (Tensor p : trained) {
                grad.bind(p.givenGrad());
                if (h.weightDecay() != 0) {
                    grad.assignOne(() -> math.fresh(ADD_SCALED, h.weightDecay(), grad.get(), p));
                }
                if (h.momentum() != 0) {
                    scale(p);
                    Tensor buffer = gathered(p, grad.get());
                    if (h.nesterov()) {
                        grad.assignOne(() -> ahead(grad.get(), buffer));
                    } else {
                        grad.bind(buffer);
                    }
                }
                apply(p, grad.get());
            }
        }
    }

    /** The gradient and the momentum after it. */
    private Tensor ahead(Tensor grad, Tensor buffer) {
        return grad.rows() == null
                ? math.fresh(ADD_SCALED, h.momentum(), grad, buffer)
                : SparseRows.joined(eager, grad, buffer, h.momentum());
    }

    /** What is added to the parameter. */
    private void apply(Tensor p, Tensor grad) {
        if (grad.rows() == null) {
            math.into(ADD_SCALED, -h.learningRate(), p, grad);
        } else {
            SparseRows.addTo(eager, p, grad, -h.learningRate());
        }
    }

    /** Scales the momentum buffer, if there is one. */
    private void scale(Tensor p) {
        if (p.givenGrad().rows() != null) {
            sparse.scale(p, h.momentum());
        } else if (buffers.get(p) != null) {
            math.into(SCALE, h.momentum(), buffers.get(p));
        }
    }

    /** The scaled momentum buffer with the gradient added; in the first step it is a copy of the gradient. */
    private Tensor gathered(Tensor p, Tensor grad) {
        if (grad.rows() != null) {
            sparse.add(p, grad);
            return sparse.of(p);
        }
        Tensor buffer = buffers.get(p);
        if (buffer == null) {
            buffer = math.keptCopy(grad);
            buffers.put(p, buffer);
            return buffer;
        }
        math.into(ADD_SCALED, 1, buffer, grad);
        return buffer;
    }

    /** _multi_tensor_sgd. */
    private void listwise(List<Tensor> trained) {
        try (Variable grads = new Variable(eager)) {
            for (List<Tensor> ps : Groups.byType(trained)) {
                grads.bind(Groups.each(ps, Tensor::givenGrad));
                if (h.weightDecay() != 0) {
                    grads.assign(() -> math.fresh(ADD_SCALED, h.weightDecay(), grads.list(), ps));
                }
                if (h.momentum() != 0) {
                    ps.forEach(this::scale);
                    List<Tensor> bufs = new ArrayList<>();
                    for (int i = 0; i < ps.size(); i++) {
                        bufs.add(gathered(ps.get(i), grads.list().get(i)));
                    }
                    if (h.nesterov()) {
                        aheadInPlace(ps, grads, bufs);
                    } else {
                        grads.bind(bufs);
                    }
                }
                for (int i = 0; i < ps.size(); i++) {
                    apply(ps.get(i), grads.list().get(i));
                }
            }
        }
    }

    /** In place: without weight decay it is .grad itself that changes. */
    private void aheadInPlace(List<Tensor> ps, Variable grads, List<Tensor> buffers) {
        for (int i = 0; i < ps.size(); i++) {
            Tensor p = ps.get(i);
            Tensor buffer = buffers.get(i);
            if (grads.list().get(i).rows() == null) {
                math.into(ADD_SCALED, h.momentum(), grads.list().get(i), buffer);
                continue;
            }
            grads.assign(() -> {
                eager.setGrad(p, ahead(p.givenGrad(), buffer));
                return Groups.each(ps, Tensor::givenGrad);
            });
        }
    }

    @Override
    void closeMore() {
        sparse.close();
    }

    /** _fused_sgd. */
    private void fused(List<Tensor> trained, Tensor scale, Tensor foundInf) {
        boolean first = h.momentum() != 0 && trained.stream().noneMatch(buffers::containsKey);
        if (first) {
            for (Tensor p : trained) {
                buffers.put(p, math.keptEmpty(p.givenGrad()));
            }
        }
        double[] numbers = {h.learningRate(), h.weightDecay(), h.momentum(), first ? 1 : 0, h.nesterov() ? 1 : 0};
        var kernels = eager.backend().elementwise();
        for (List<Tensor> ps : Groups.byType(trained)) {
            for (Tensor p : ps) {
                Tensor g = p.givenGrad();
                if (h.momentum() == 0) {
                    kernels.map(FUSED_PLAIN, numbers, new Tensor[] {p, g}, p, g, scale, foundInf);
                } else {
                    Tensor b = Objects.requireNonNull(buffers.get(p), "a buffer");
                    kernels.map(FUSED, numbers, new Tensor[] {p, g, b}, p, g, b, scale, foundInf);
                }
                p.storage().changed();
            }
        }
    }
}
