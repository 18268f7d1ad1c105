package dev.headroom.executor.parallel;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.GradientSums;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A flat buffer that the gradients of some parameters are reduced in. */
final class Bucket {
    private static final Formula SHARE = new Formula("ddp_share", "y0 = x0 / s0;", (x, s, y) -> y[0] = x[0] / s[0]);

    private final Eager eager;
    private final List<Tensor> parameters;
    private final Map<Tensor, Long> offsets = new HashMap<>();

    /** Whether gradients are parts of the buffer ({@code gradient_as_bucket_view}). */
    private final boolean holdsGradients;

    private final Tensor buffer;
    private int pending;

    Bucket(Eager eager, List<Tensor> parameters, boolean holdsGradients) {
        this.eager = eager;
        this.parameters = List.copyOf(parameters);
        this.holdsGradients = holdsGradients;
        long elements = 0;
        for (Tensor p : parameters) {
            offsets.put(p, elements);
            elements += p.elements();
        }
        try (Scope s = eager.open()) {
            buffer = eager.hold(eager.empty(parameters.get(0).dtype(), elements));
        }
        if (holdsGradients) {
            parameters.stream().filter(p -> p.grad() != null).forEach(p -> take(p, 1));
        }
    }

    List<Tensor> parameters() {
        return parameters;
    }

    /** All gradients, one after the other. */
    Tensor buffer() {
        return buffer;
    }

    DType type() {
        return buffer.dtype();
    }

    /** No gradient is there yet. */
    void reset() {
        pending = parameters.size();
    }

    /** Counts one more parameter as ready; tells whether all are. */
    boolean ready() {
        return --pending == 0;
    }

    boolean isFull() {
        return pending == 0;
    }

    /**
     * Takes over a parameter's gradient (mark_variable_ready_dense); zeros where there is none.
     *
     * @param divisor of the gradient
     */
    void take(Tensor parameter, int divisor) {
        try (Scope s = eager.open()) {
            Tensor place = place(parameter);
            Tensor grad = parameter.grad();
            if (grad == null) {
                eager.backend().elementwise().fill(place, 0);
                return;
            }
            if (grad.rows() != null) {
                throw new UserInputException("DistributedDataParallel has no sparse gradients over NCCL; make the"
                        + " embedding sparse=False, or leave out `parallel`");
            }
            boolean there = grad.storage() == buffer.storage();
            eager.backend()
                    .elementwise()
                    .map(SHARE, new double[] {divisor}, new Tensor[] {place}, there ? place : grad);
            if (holdsGradients && !there) {
                eager.setGrad(parameter, place);
            }
        }
    }

    /** Gives a parameter the reduced gradient (finalize_bucket_dense). */
    void giveBack(Tensor parameter) {
        try (Scope s = eager.open()) {
            Tensor place = place(parameter);
            if (holdsGradients) {
                if (parameter.grad() == null) {
                    eager.setGrad(parameter, place);
                }
            } else if (parameter.grad() == null) {
                eager.setGrad(parameter, new GradientSums(eager).cloneFor(place, parameter));
            } else {
                Copies.fill(eager, parameter.grad(), place);
            }
        }
    }

    /** A parameter's part of the buffer, in the parameter's own layout. */
    private Tensor place(Tensor p) {
        boolean dense = Layout.isDense(p.sizes(), p.strides());
        return eager.alias(
                buffer,
                p.sizes(),
                dense ? p.strides() : Layout.contiguous(p.sizes()),
                Objects.requireNonNull(offsets.get(p), "a place"));
    }

    /** Lets go of the buffer; gradients that are parts of it keep it. */
    void close() {
        eager.release(buffer);
    }
}
