package dev.headroom.executor.autograd;

import dev.headroom.executor.kernel.ElementwiseKernels;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.tensor.TensorMemory;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/**
 * What a change in place of a view does to gradients: those of the tensor that it is a view of go through the change
 * (torch/csrc/autograd/functions/tensor.cpp, CopySlices), those of its views through a general view of it
 * (FunctionsManual.cpp, as_strided_backward).
 */
final class ViewHistory {
    /** Where elements lie in a storage. */
    private record Place(long[] sizes, long[] strides, long offset) {
        static Place of(Tensor t) {
            return new Place(t.sizes(), t.strides(), t.offset());
        }

        /** Elements up to the last one. */
        long reach() {
            long last = offset;
            for (int d = 0; d < sizes.length; d++) {
                if (sizes[d] == 0) {
                    return 0;
                }
                last += (sizes[d] - 1) * strides[d];
            }
            return last + 1;
        }
    }

    private ViewHistory() {}

    /**
     * The gradient function of a tensor that a change of one of its views changed.
     *
     * @param change what changed the view; its first gradient is the view's before the change
     */
    static Backward copySlices(TensorMemory memory, ElementwiseKernels kernels, Tensor base, Tensor view, Node change) {
        Place whole = Place.of(base);
        Place part = Place.of(view);
        return gradients -> {
            boolean dense = Layout.isDense(whole.sizes(), whole.strides());
            long[] strides = dense ? whole.strides() : Layout.contiguous(whole.sizes());
            Tensor all = memory.emptyStrided(gradients[0].dtype(), whole.sizes(), strides);
            copy(memory, kernels, all, gradients[0]);
            Tensor slice = memory.alias(all, part.sizes(), part.strides(), part.offset() - whole.offset());
            Tensor changed = memory.emptyLike(slice);
            copy(memory, kernels, changed, slice);
            Tensor[] out = change.function().apply(new Tensor[] {changed}).clone();
            if (out[0] == null) {
                clear(memory, kernels, slice);
            } else {
                copy(memory, kernels, slice, out[0]);
            }
            if (!Arrays.asList(out).contains(changed)) {
                memory.free(changed);
            }
            out[0] = all;
            return out;
        };
    }

    /** The gradient function of a view whose base has changed since it was made. */
    static Backward asStrided(TensorMemory memory, ElementwiseKernels kernels, Tensor base, Tensor view) {
        Place whole = Place.of(base);
        Place part = Place.of(view);
        return gradients -> {
            long elements = Math.max(whole.reach(), part.reach()) - whole.offset();
            DType type = gradients[0].dtype();
            Tensor all = memory.empty(type, elements);
            clear(memory, kernels, all);
            try (Scope s = memory.open()) {
                Tensor slice = memory.alias(all, part.sizes(), part.strides(), part.offset() - whole.offset());
                copy(memory, kernels, slice, gradients[0]);
            }
            Tensor out = memory.alias(all, whole.sizes(), whole.strides(), 0);
            memory.free(all);
            return new Tensor[] {out};
        };
    }

    /** A copy; of complex numbers part by part. */
    private static void copy(TensorMemory memory, ElementwiseKernels kernels, Tensor to, Tensor from) {
        if (!to.dtype().isComplex()) {
            kernels.copy(to, from);
            return;
        }
        try (Scope s = memory.open()) {
            for (int part = 0; part < 2; part++) {
                kernels.copy(memory.part(to, part), memory.part(from, part));
            }
        }
    }

    private static void clear(TensorMemory memory, ElementwiseKernels kernels, Tensor t) {
        if (!t.dtype().isComplex()) {
            kernels.fill(t, 0);
            return;
        }
        try (Scope s = memory.open()) {
            kernels.fill(memory.part(t, 0), 0);
            kernels.fill(memory.part(t, 1), 0);
        }
    }
}
