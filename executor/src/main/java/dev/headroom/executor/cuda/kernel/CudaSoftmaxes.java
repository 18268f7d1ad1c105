package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.SoftmaxKernels;
import dev.headroom.executor.tensor.Tensor;

/** Softmax by kernels of the project's own. */
public final class CudaSoftmaxes implements SoftmaxKernels {
    private final KernelFiles kernels;

    public CudaSoftmaxes(KernelFiles kernels) {
        this.kernels = kernels;
    }

    /** Lines along a dimension of a row-major tensor; elements of a line are {@code inner} apart. */
    private record Lines(long length, long inner, LaunchShape shape) {
        static Lines of(Tensor t, int dim) {
            long length = t.dims() == 0 ? 1 : t.size(dim);
            long inner = 1;
            for (int d = dim + 1; d < t.dims(); d++) {
                inner *= t.size(d);
            }
            long lines = length == 0 ? 0 : t.elements() / length;
            return new Lines(length, inner, LaunchShape.lines(lines, length));
        }
    }

    @Override
    public void softmax(Tensor result, Tensor x, int dim, boolean log) {
        Lines lines = Lines.of(x, dim);
        kernels.kernel("softmaxes", "softmax", ElementTypes.of(result, x, x))
                .launch(lines.shape(), lines.length(), lines.inner(), log ? 1 : 0, result.address(), x.address());
    }

    @Override
    public void softmaxBackward(Tensor gradient, Tensor g, Tensor y, int dim, boolean log) {
        Lines lines = Lines.of(g, dim);
        kernels.kernel("softmaxes", "softmax_gradient", ElementTypes.of(gradient, g, y))
                .launch(
                        lines.shape(),
                        lines.length(),
                        lines.inner(),
                        log ? 1 : 0,
                        gradient.address(),
                        g.address(),
                        y.address());
    }
}
