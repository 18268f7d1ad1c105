package dev.headroom.executor.cuda;

import dev.headroom.executor.kernel.ReductionKernels;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;

/** Reductions by kernels of the project's own. */
final class CudaReductions implements ReductionKernels {
    /** Threads of a block, and with few lines more of them. */
    private static final int THREADS = 256;

    private static final int MOST_THREADS = 1024;
    private static final int WARP = 32;

    private final KernelFiles kernels;

    CudaReductions(KernelFiles kernels) {
        this.kernels = kernels;
    }

    @Override
    public void reduce(Kind kind, Tensor result, Tensor operand) {
        long lines = result.elements();
        if (lines == 0) {
            return;
        }
        int dims = operand.dims();
        long[] inner = new long[dims];
        long[] keptStrides = new long[dims];
        for (int d = 0; d < dims; d++) {
            inner[d] = result.sizes()[d] == 1 ? operand.sizes()[d] : 1;
            keptStrides[d] = result.sizes()[d] == 1 ? 0 : operand.strides()[d];
        }
        long length = Layout.elements(inner);
        Walk over = Walk.over(inner, operand.strides());
        Walk lineWalk = Walk.over(result.sizes(), keptStrides, result.strides());
        double factor = kind == Kind.MEAN ? (double) lines / operand.elements() : 1;
        kernels.kernel("reductions", "reduce", ElementTypes.of(result, operand))
                .launch(
                        shape(lines, length, lineWalk),
                        code(kind),
                        lines,
                        length,
                        factor,
                        DeviceView.of(result.address(), lineWalk.sizes(), lineWalk.strides()[1]),
                        DeviceView.of(operand.address(), lineWalk.sizes(), lineWalk.strides()[0]),
                        DeviceView.of(operand.address(), over.sizes(), over.strides()[0]));
    }

    /** Neighbouring threads take neighbouring elements, be they of one line or of one line each. */
    private static LaunchShape shape(long lines, long length, Walk lineWalk) {
        int last = lineWalk.sizes().length - 1;
        boolean besideEachOther = last >= 0 && lineWalk.strides()[0][last] == 1;
        int across = length <= WARP ? THREADS : besideEachOther ? WARP : 1;
        int along = across == 1 && lines < MOST_THREADS ? MOST_THREADS : THREADS / across;
        return new LaunchShape(Math.toIntExact((lines + across - 1) / across), 1, 1, across, along, 1, 0);
    }

    private static int code(Kind kind) {
        return switch (kind) {
            case SUM, MEAN -> 0;
            case MAX -> 1;
            case MIN -> 2;
            case ANY -> 3;
            case ALL -> 4;
        };
    }

    @Override
    public void cumulativeSum(Tensor result, Tensor operand, int dim) {
        if (operand.elements() == 0) {
            return;
        }
        boolean scalar = operand.dims() == 0;
        long length = scalar ? 1 : operand.size(dim);
        long[] first = operand.sizes().clone();
        if (!scalar) {
            first[dim] = 1;
        }
        long lines = Layout.elements(first);
        kernels.kernel("reductions", "cumulative_sum", ElementTypes.of(result, operand))
                .launch(
                        LaunchShape.elements(lines),
                        lines,
                        length,
                        DeviceView.of(result.address(), first, result.strides()),
                        scalar ? 0L : result.stride(dim),
                        DeviceView.of(operand.address(), first, operand.strides()),
                        scalar ? 0L : operand.stride(dim));
    }
}
