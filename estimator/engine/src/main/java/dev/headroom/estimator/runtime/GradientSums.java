package dev.headroom.estimator.runtime;

import dev.headroom.estimator.log.Category;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.plan.Placement;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes gradients to where a backward pass puts them: the buffers of nodes that wait for more, and the {@code .grad}
 * of leaves.
 */
final class GradientSums {
    private final EagerRuntime runtime;
    private final AutogradEngine.Arithmetic arithmetic;

    GradientSums(EagerRuntime runtime, AutogradEngine.Arithmetic arithmetic) {
        this.runtime = runtime;
        this.arithmetic = arithmetic;
    }

    /**
     * InputBuffer::add (torch/csrc/autograd/input_buffer.cpp): sums in place when nobody else can see it. A gradient
     * made on one stream and used on another is noted there; the sum is made on the stream that uses it.
     *
     * @param grad made on the current stream; its reference is taken over
     * @param target the node that the buffer is for
     */
    void addToBuffer(Tensor[] buffer, int i, @Nullable Tensor grad, GradNode target) {
        if (grad == null) {
            return;
        }
        Streams streams = runtime.streams();
        int stream = target.stream;
        if (stream != streams.current()) {
            streams.recordUse(grad, stream);
        }
        Tensor old = buffer[i];
        if (old == null) {
            buffer[i] = grad;
            return;
        }
        int before = streams.use(stream);
        old.storage().await(runtime);
        grad.storage().await(runtime);
        int device = runtime.devices().use(runtime.devices().of(old));
        Frame f = runtime.frame();
        try {
            if (old.indices() != null || grad.indices() != null) {
                buffer[i] = runtime.hold(sparseSum(old, grad));
                f.close();
                f = runtime.frame();
                runtime.release(old);
            } else if (!runtime.gradMode()
                    && !target.isWrapped(i)
                    && old.isNonOverlappingAndDense()
                    && old.useCount() == 1
                    && old.storage().useCount() == 1) {
                arithmetic.addInPlace(runtime, old, grad);
            } else {
                Tensor[] alike = alike(target.variable, old, grad);
                buffer[i] = runtime.hold(arithmetic.add(runtime, alike[0], alike[1]));
                f.close();
                f = runtime.frame();
                runtime.release(old);
            }
        } finally {
            f.close();
            runtime.devices().use(device);
            streams.use(before);
        }
        runtime.release(grad);
    }

    /**
     * Two gradients of which one is sparse at least: the indices and values of both one behind the other
     * (ATen/native/sparse/cuda/SparseCUDATensorMath.cu, add_out_sparse_cuda), or a dense one.
     */
    private Tensor sparseSum(Tensor a, Tensor b) {
        Tensor rows = a.indices();
        Tensor more = b.indices();
        if (rows == null || more == null) {
            Tensor dense = rows == null ? a : b;
            return runtime.emptyLike(dense);
        }
        Tensor indices = runtime.empty(rows.dtype(), rows.numel() + more.numel());
        Tensor values = runtime.empty(a.dtype(), a.size(0) + b.size(0), a.size(1));
        return values.sparse(indices);
    }

    /** Gradients of a DTensor that come in two layouts are summed in that of the tensor itself. */
    private Tensor[] alike(@Nullable Tensor leaf, Tensor a, Tensor b) {
        if (leaf == null || leaf.distribution() == null || Arrays.equals(a.sizes(), b.sizes())) {
            return new Tensor[] {a, b};
        }
        Distribution of = leaf.distribution();
        of.gradientsCome(of.placement());
        return new Tensor[] {inLayout(of, a), inLayout(of, b)};
    }

    private static Tensor inLayout(Distribution of, Tensor gradient) {
        return Arrays.equals(gradient.sizes(), of.sizes())
                ? of.ranks().redistribute(gradient, Placement.REPLICATE, of.placement(), of.sizes(), false)
                : gradient;
    }

    /**
     * AccumulateGrad::accumulateGrad (torch/csrc/autograd/functions/accumulate_grad.h), grad mode off.
     *
     * @param grad borrowed; nobody but the caller may hold it if it is to become {@code .grad} itself
     */
    void accumulate(Tensor variable, Tensor grad) {
        Frame f = runtime.frame();
        try {
            Tensor before = variable.grad();
            Tensor rows = grad.indices();
            if (rows != null || before != null && before.indices() != null) {
                accumulateSparse(variable, before, grad);
            } else if (before != null) {
                arithmetic.addInPlace(runtime, before, grad);
            } else if (grad.useCount() == 1 && obeysLayout(grad, variable)) {
                runtime.setCategory(grad, Category.GRADIENTS);
                runtime.setGrad(variable, runtime.detach(grad));
            } else {
                Tensor copy = arithmetic.cloneLike(runtime, grad, variable);
                runtime.setCategory(copy, Category.GRADIENTS);
                runtime.setGrad(variable, copy);
            }
        } finally {
            f.close();
        }
    }

    /** The same where one is sparse at least; to a dense gradient rows are added in place. */
    private void accumulateSparse(Tensor variable, @Nullable Tensor before, Tensor grad) {
        Tensor rows = grad.indices();
        if (before != null && before.indices() == null && rows != null) {
            return;
        }
        Tensor now;
        if (before != null) {
            now = sparseSum(before, grad);
        } else if (grad.useCount() == 1 && grad.isContiguous() && rows != null) {
            now = runtime.detach(grad).sparse(rows);
        } else {
            Tensor values = runtime.emptyLike(grad); // clone() of a sparse tensor: values, then indices
            now = rows == null ? values : values.sparse(runtime.emptyLike(rows));
        }
        runtime.setCategory(now, Category.GRADIENTS);
        runtime.setGrad(variable, now);
    }

    /** torch/csrc/autograd/utils/grad_layout_contract.h. */
    private static boolean obeysLayout(Tensor grad, Tensor variable) {
        if (!variable.isNonOverlappingAndDense()) {
            return grad.isContiguous();
        }
        for (int d = 0; d < variable.dim(); d++) {
            if (variable.size(d) == 1) {
                continue;
            }
            if (d >= grad.dim()) { // validate_outputs (torch/csrc/autograd/engine.cpp) refuses it, too
                throw new UserInputException("a tensor of shape " + Arrays.toString(variable.sizes())
                        + " gets a gradient of shape " + Arrays.toString(grad.sizes())
                        + "; the shapes in the file contradict each other");
            }
            if (grad.stride(d) != variable.stride(d)) {
                return false;
            }
        }
        return true;
    }
}
