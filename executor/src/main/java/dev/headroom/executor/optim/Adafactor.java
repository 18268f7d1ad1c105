package dev.headroom.executor.optim;

import static dev.headroom.executor.optim.Arithmetic.ADD_SCALED;
import static dev.headroom.executor.optim.Arithmetic.AT_LEAST;
import static dev.headroom.executor.optim.Arithmetic.DIVIDE;
import static dev.headroom.executor.optim.Arithmetic.DIVIDE_BY;
import static dev.headroom.executor.optim.Arithmetic.INTERPOLATE;
import static dev.headroom.executor.optim.Arithmetic.INVERSE_ROOT;
import static dev.headroom.executor.optim.Arithmetic.MULTIPLY;
import static dev.headroom.executor.optim.Arithmetic.SCALE;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.reduction.Lengths;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.optim.Adafactor} (torch/optim/_adafactor.py): of a matrix it keeps the second moments of rows and
 * columns alone.
 */
final class Adafactor extends StatefulOptimizer {
    private static final double BETA2_DECAY = -0.8;
    private static final double EPS2 = 1e-3;

    /** What is kept for a parameter: of a matrix {@code rows} and {@code columns}, of a vector {@code variance}. */
    private static final class State {
        int step;

        @Nullable
        Tensor rows;

        @Nullable
        Tensor columns;

        @Nullable
        Tensor variance;
    }

    private final IdentityHashMap<Tensor, State> states = new IdentityHashMap<>();

    Adafactor(Eager eager, List<Tensor> parameters, Implementation form, Hyperparameters h) {
        super(eager, parameters, form, h);
    }

    @Override
    public void step() {
        List<List<Tensor>> groups = stepped(states, this::initial, Adafactor::byTypeAndRank);
        if (groups.isEmpty()) {
            return;
        }
        // The first parameter's type decides for all: the variable is set once.
        double epsilon = epsilon(groups.get(0).get(0).dtype());
        Locals locals = new Locals();
        try {
            for (List<Tensor> ps : groups) {
                step(ps, epsilon, locals);
            }
        } finally {
            locals.end();
        }
    }

    /** torch.finfo(…).eps. */
    private static double epsilon(DType type) {
        return switch (type) {
            case FLOAT64 -> 0x1p-52;
            case FLOAT16 -> 0x1p-10;
            case BFLOAT16 -> 0x1p-7;
            default -> 0x1p-23;
        };
    }

    /** _init_group. */
    private State initial(Tensor p) {
        State s = new State();
        Tensor g = p.givenGrad();
        if (g.dims() > 1) {
            s.rows = math.keptZeros(g.dtype(), with(g, -1));
            s.columns = math.keptZeros(g.dtype(), with(g, -2));
        } else {
            s.variance = math.keptZeros(g);
        }
        return s;
    }

    /** A tensor's sizes with 1 in a dimension. */
    private static long[] with(Tensor t, int dim) {
        long[] sizes = t.sizes().clone();
        sizes[sizes.length + dim] = 1;
        return sizes;
    }

    /** _group_tensors_by_device_dtype_and_is_multidim: of each type the matrices and the vectors, as they are met. */
    private static List<List<Tensor>> byTypeAndRank(List<Tensor> trained) {
        List<List<Tensor>> out = new ArrayList<>();
        for (List<Tensor> group : Groups.byType(trained)) {
            List<Tensor> matrices =
                    group.stream().filter(p -> p.givenGrad().dims() > 1).toList();
            List<Tensor> vectors =
                    group.stream().filter(p -> p.givenGrad().dims() <= 1).toList();
            boolean matricesFirst = group.get(0).givenGrad().dims() > 1;
            out.add(matricesFirst ? matrices : vectors);
            out.add(matricesFirst ? vectors : matrices);
        }
        out.removeIf(List::isEmpty);
        return out;
    }

    /** The function's variables that hold tensors; those of _multi_tensor_adafactor are partly deleted in it. */
    private final class Locals {
        final Variable rowMeans = new Variable(eager);
        final Variable columnMeans = new Variable(eager);
        final Variable estimates = new Variable(eager);
        final Variable squares = new Variable(eager);
        final Variable updates = new Variable(eager);

        void end() {
            for (Variable v : new Variable[] {rowMeans, columnMeans, estimates, squares, updates}) {
                v.close();
            }
        }
    }

    /** _multi_tensor_adafactor, and _single_tensor_adafactor for a list of one. */
    private void step(List<Tensor> ps, double epsilon, Locals v) {
        List<State> s = ps.stream().map(states::get).toList();
        List<Tensor> grads = Groups.each(ps, Tensor::givenGrad);
        double[] share = new double[ps.size()];
        double[] alpha = new double[ps.size()];
        for (int i = 0; i < alpha.length; i++) {
            int t = ++s.get(i).step;
            share[i] = Math.pow(t, BETA2_DECAY);
            alpha[i] = Math.max(EPS2, rootMeanSquare(ps.get(i))) * Math.min(h.learningRate(), 1 / Math.sqrt(t));
        }
        if (h.weightDecay() != 0) {
            math.into(SCALE, 1 - h.learningRate() * h.weightDecay(), ps);
        }
        if (grads.get(0).dims() > 1) {
            factored(s, grads, share, epsilon, v);
        } else {
            List<Tensor> variances = Groups.each(s, state -> state.variance);
            v.squares.assign(() -> math.fresh(MULTIPLY, 0, grads, grads));
            math.into(INTERPOLATE, i -> share[i], variances, v.squares.list());
            if (form == Implementation.FOREACH) {
                v.squares.close();
            }
            v.estimates.assign(() -> math.fresh(Formula.COPY, 0, variances));
        }
        List<Tensor> updates = v.estimates.list();
        math.into(AT_LEAST, epsilon * epsilon, updates);
        math.into(INVERSE_ROOT, 0, updates);
        v.updates.bind(updates);
        math.into(MULTIPLY, 0, updates, grads);
        double[] factor = new double[ps.size()];
        for (int i = 0; i < factor.length; i++) {
            factor[i] = -alpha[i] / Math.max(1, rootMeanSquare(updates.get(i)));
        }
        if (form == Implementation.FOREACH) {
            math.into(SCALE, i -> factor[i], updates);
            math.into(ADD_SCALED, 1, ps, updates);
        } else {
            math.into(ADD_SCALED, i -> factor[i], ps, updates);
        }
    }

    /** Moments of rows and columns, and the variances that their product estimates. */
    private void factored(List<State> s, List<Tensor> grads, double[] share, double epsilon, Locals v) {
        List<Tensor> rows = Groups.each(s, state -> state.rows);
        List<Tensor> columns = Groups.each(s, state -> state.columns);
        gather(rows, grads, -1, share, v.rowMeans);
        gather(columns, grads, -2, share, v.columnMeans);
        v.estimates.assign(() -> {
            List<Tensor> products = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                products.add(Lengths.outer(eager, rows.get(i), columns.get(i)));
            }
            return products;
        });
        try (Scope scope = eager.open()) {
            List<Tensor> means =
                    rows.stream().map(r -> Lengths.mean(eager, r, -2)).toList();
            math.into(AT_LEAST, epsilon, means);
            math.into(DIVIDE, 0, v.estimates.list(), means);
        }
    }

    /** Mixes mean squares along a dimension into what is kept of them. */
    private void gather(List<Tensor> into, List<Tensor> grads, int dim, double[] share, Variable means) {
        means.assign(() -> grads.stream().map(g -> Lengths.of(eager, g, dim)).toList());
        math.into(MULTIPLY, 0, means.list(), means.list());
        for (int i = 0; i < grads.size(); i++) {
            math.into(DIVIDE_BY, (double) grads.get(i).size(dim), means.list().get(i));
        }
        math.into(INTERPOLATE, i -> share[i], into, means.list());
        if (form == Implementation.FOREACH) {
            means.close();
        }
    }

    /** From the length, which is read back at once. */
    private double rootMeanSquare(Tensor t) {
        try (Scope s = eager.open()) {
            double length = eager.backend().read(Lengths.of(eager, t))[0];
            return length / Math.sqrt((double) t.elements());
        }
    }
}
