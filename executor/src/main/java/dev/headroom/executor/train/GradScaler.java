package dev.headroom.executor.train;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.loss.LossOperators;
import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.amp.GradScaler} with its defaults (torch/amp/grad_scaler.py): scales the loss so that half-precision
 * gradients do not vanish, and leaves out steps whose gradients are not finite.
 */
public final class GradScaler implements AutoCloseable {
    private static final double FIRST_SCALE = 65536;
    private static final double GROWTH = 2;
    private static final double BACKOFF = 0.5;
    private static final double GROWTH_INTERVAL = 2000;

    private static final Formula INVERT = Formula.unary("scaler_invert", "1 / x0", x -> 1 / x);
    private static final Formula ADD_NUMBER =
            new Formula("scaler_add_number", "y0 = x0 + s0;", (x, s, y) -> y[0] = x[0] + s[0]);
    private static final Formula MULTIPLY = Formula.binary("scaler_multiply", "x0 * x1", (a, b) -> a * b);
    private static final Formula FLAG = Formula.binary(
            "scaler_flag", "isfinite((double) x1) ? x0 : 1", (flag, sum) -> Double.isFinite((float) sum) ? flag : 1);

    /** _amp_update_scale_ (aten/src/ATen/native/cuda/AmpKernels.cu): scale, steps since it changed, found_inf. */
    private static final Formula UPDATE = new Formula(
            "scaler_update",
            "bool bad = x2 != 0; bool grows = !bad && x1 + 1 == s2;"
                    + " y0 = bad ? x0 * s1 : grows ? x0 * s0 : x0; y1 = bad || grows ? 0 : x1 + 1;",
            (x, s, y) -> {
                boolean bad = x[2] != 0;
                boolean grows = !bad && x[1] + 1 == s[2];
                double scale = x[0];
                double steps = x[1] + 1;
                y[0] = bad ? scale * s[1] : grows ? scale * s[0] : scale;
                y[1] = bad || grows ? 0 : steps;
            });

    private final Eager eager;
    private final Consumer<Tensor> looked;
    private @Nullable State state;
    private @Nullable Tensor foundInf;

    /** What stays on the device from step to step. */
    private record State(Tensor scale, Tensor growthTracker) {}

    public GradScaler(Eager eager) {
        this(eager, found -> {});
    }

    /** @param looked told what was found, for other ranks to know */
    GradScaler(Eager eager, Consumer<Tensor> looked) {
        this.eager = eager;
        this.looked = looked;
    }

    /** The present scale; its memory is taken with the first {@link #scale(Tensor)}. */
    public double scale() {
        return state == null ? FIRST_SCALE : eager.backend().read(state.scale)[0];
    }

    /** {@code scale(loss)}: a local of the running scope. */
    public Tensor scale(Tensor loss) {
        State now = state == null ? first() : state;
        state = now;
        return LossOperators.scaled(eager, loss, now.scale);
    }

    private State first() {
        try (Scope s = eager.open()) {
            Tensor scale = full(DType.FLOAT32, FIRST_SCALE);
            Tensor growthTracker = full(DType.INT32, 0);
            return new State(eager.hold(scale), eager.hold(growthTracker));
        }
    }

    private State state() {
        return Objects.requireNonNull(state, "a scaled loss");
    }

    private Tensor found() {
        return Objects.requireNonNull(foundInf, "a look at the gradients");
    }

    /**
     * {@code step(optimizer)}.
     *
     * @throws UserInputException when gradients are in half precision, which PyTorch refuses
     */
    public void step(Optimizer optimizer) {
        if (optimizer.unscales()) {
            check(optimizer);
            try (Scope s = eager.open()) {
                Tensor found = map(ADD_NUMBER, DType.FLOAT32, new double[] {0}, found());
                Tensor factor = map(Formula.COPY, DType.FLOAT32, new double[0], state().scale);
                optimizer.step(factor, found);
            }
            return;
        }
        unscale(optimizer);
        if (eager.backend().read(found())[0] == 0) {
            optimizer.step();
        }
    }

    /** {@code update()}. */
    public void update() {
        State now = state();
        Tensor[] results = {now.scale, now.growthTracker};
        double[] numbers = {GROWTH, BACKOFF, GROWTH_INTERVAL};
        eager.backend().elementwise().map(UPDATE, numbers, results, now.scale, now.growthTracker, found());
        eager.release(foundInf);
        foundInf = null;
    }

    @Override
    public void close() {
        if (state != null) {
            eager.release(state.scale);
            eager.release(state.growthTracker);
        }
        eager.release(foundInf);
        state = null;
        foundInf = null;
    }

    /** unscale_: the reciprocal is taken in double precision. */
    private void unscale(Optimizer optimizer) {
        for (Tensor p : optimizer.parameters()) {
            if (p.grad() != null && p.grad().dtype() == DType.FLOAT16) {
                throw new UserInputException("autocast to fp16 with parameters in fp16: PyTorch refuses to unscale fp16"
                        + " gradients; leave the parameters in fp32");
            }
        }
        try (Scope s = eager.open()) {
            Tensor wide = map(Formula.COPY, DType.FLOAT64, new double[0], state().scale);
            Tensor inverse = map(INVERT, DType.FLOAT64, new double[0], wide);
            eager.free(wide);
            Tensor narrow = map(Formula.COPY, DType.FLOAT32, new double[0], inverse);
            eager.free(inverse);
            unscaleGradients(optimizer, narrow);
        }
    }

    /** _check_inf_per_device: looks for infinities, leaves gradients alone. */
    private void check(Optimizer optimizer) {
        try (Scope s = eager.open()) {
            unscaleGradients(optimizer, full(DType.FLOAT32, 1));
        }
    }

    /** _unscale_grads_: one copy of the factor and of the flag for the device; the flag's stays until the update. */
    private void unscaleGradients(Optimizer optimizer, Tensor factor) {
        Tensor flag = full(DType.FLOAT32, 0);
        try (Scope s = eager.open()) {
            Tensor found = eager.hold(map(Formula.COPY, DType.FLOAT32, new double[0], flag));
            foundInf = found;
            Tensor ours = map(Formula.COPY, DType.FLOAT32, new double[0], factor);
            for (Tensor p : optimizer.parameters()) {
                if (p.grad() != null) {
                    checkAndUnscale(p.grad(), ours, flag, found);
                }
            }
            looked.accept(found);
        }
        // The factor dies before the flag: the caller's scope must close in this order.
        eager.free(factor);
    }

    /**
     * _amp_foreach_non_finite_check_and_unscale_. A sum is finite only if all that it adds is; it goes where nobody
     * looks again.
     */
    private void checkAndUnscale(Tensor grad, Tensor factor, Tensor sum, Tensor found) {
        try (Scope s = eager.open()) {
            long[] ones = new long[grad.dims()];
            Arrays.fill(ones, 1);
            eager.backend().reductions().reduce(Kind.SUM, eager.alias(sum, ones, ones, 0), grad);
        }
        var kernels = eager.backend().elementwise();
        kernels.map(FLAG, new double[0], new Tensor[] {found}, found, sum);
        kernels.map(MULTIPLY, new double[0], new Tensor[] {grad}, grad, factor);
    }

    private Tensor full(DType type, double value) {
        return map(Formula.FILL, type, new double[] {value});
    }

    private Tensor map(Formula formula, DType type, double[] numbers, Tensor... operands) {
        Tensor out = eager.empty(type);
        eager.backend().elementwise().map(formula, numbers, new Tensor[] {out}, operands);
        return out;
    }
}
