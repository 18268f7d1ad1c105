package dev.headroom.executor.optim;

import static dev.headroom.executor.optim.Arithmetic.ADD_NUMBER;
import static dev.headroom.executor.optim.Arithmetic.ADD_PRODUCT;
import static dev.headroom.executor.optim.Arithmetic.ADD_QUOTIENT;
import static dev.headroom.executor.optim.Arithmetic.ADD_SCALED;
import static dev.headroom.executor.optim.Arithmetic.INTERPOLATE;
import static dev.headroom.executor.optim.Arithmetic.SCALE;
import static dev.headroom.executor.optim.Arithmetic.SQUARE_ROOT;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code torch.optim.RMSprop} (torch/optim/rmsprop.py). */
final class RmsProp extends StatefulOptimizer {
    private static final double ALPHA = 0.99;
    private static final double EPS = 1e-8;

    /** What is kept for a parameter; {@code momentum} and {@code average} only where the options ask for them. */
    private record State(
            Tensor squares,
            @Nullable Tensor momentum,
            @Nullable Tensor average) {}

    private final IdentityHashMap<Tensor, State> states = new IdentityHashMap<>();

    RmsProp(Eager eager, List<Tensor> parameters, Implementation form, Hyperparameters h) {
        super(eager, parameters, form, h);
    }

    @Override
    public void step() {
        List<List<Tensor>> groups = stepped(states, this::initial, Groups::byType);
        // A loop over parameters is a loop over lists of one.
        try (Variable roots = new Variable(eager);
                Variable grads = new Variable(eager)) {
            groups.forEach(ps -> step(ps, grads, roots));
        }
    }

    /** _init_group. */
    private State initial(Tensor p) {
        Tensor squares = math.keptZeros(p);
        Tensor momentum = h.momentum() != 0 ? math.keptZeros(p) : null;
        return new State(squares, momentum, h.centered() ? math.keptZeros(p) : null);
    }

    /** _multi_tensor_rmsprop, and _single_tensor_rmsprop for a list of one. */
    private void step(List<Tensor> ps, Variable grads, Variable roots) {
        List<State> s = ps.stream().map(states::get).toList();
        List<Tensor> squares = Groups.each(s, state -> state.squares);
        grads.bind(Groups.each(ps, Tensor::givenGrad));
        if (h.weightDecay() != 0) {
            grads.assign(() -> math.fresh(ADD_SCALED, h.weightDecay(), grads.list(), ps));
        }
        math.into(SCALE, ALPHA, squares);
        math.into(ADD_PRODUCT, 1 - ALPHA, squares, grads.list(), grads.list());
        if (h.centered()) {
            List<Tensor> averages = Groups.each(s, state -> state.average);
            math.into(INTERPOLATE, 1 - ALPHA, averages, grads.list());
            roots.assign(() -> math.fresh(ADD_PRODUCT, -1, squares, averages, averages));
            math.into(SQUARE_ROOT, 0, roots.list());
        } else {
            roots.assign(() -> math.fresh(SQUARE_ROOT, 0, squares));
        }
        math.into(ADD_NUMBER, EPS, roots.list());
        if (h.momentum() != 0) {
            List<Tensor> buffers = Groups.each(s, state -> state.momentum);
            math.into(SCALE, h.momentum(), buffers);
            math.into(ADD_QUOTIENT, 1, buffers, grads.list(), roots.list());
            math.into(ADD_SCALED, -h.learningRate(), ps, buffers);
        } else {
            math.into(ADD_QUOTIENT, -h.learningRate(), ps, grads.list(), roots.list());
        }
    }
}
