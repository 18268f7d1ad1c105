package dev.headroom.executor.cuda.kernel;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.ReductionKernels;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Reductions by kernels of the project's own. */
public final class CudaReductions implements ReductionKernels {
    /** Threads of a block, and with few lines more of them. */
    private static final int THREADS = 256;

    private static final int MOST_THREADS = 1024;
    private static final int WARP = 32;

    /** The kernel's codes for lengths: powers, what is not zero, the greatest and the least magnitude. */
    private static final int POWERS = 7;

    private static final int COUNT = 8;
    private static final int GREATEST = 9;
    private static final int LEAST = 10;
    private static final int SUM_OF_NUMBERS = 11;

    private final KernelFiles kernels;

    public CudaReductions(KernelFiles kernels) {
        this.kernels = kernels;
    }

    @Override
    public void reduce(Kind kind, Tensor result, Tensor operand) {
        double share = result.elements() == 0 ? 1 : (double) result.elements() / operand.elements();
        reduce(code(kind), kind == Kind.MEAN ? share : 1, result, operand);
    }

    @Override
    public void norm(double order, Tensor result, Tensor operand) {
        int code = order == 0 ? COUNT : Double.isInfinite(order) ? (order > 0 ? GREATEST : LEAST) : POWERS;
        reduce(code, code == POWERS ? order : 1, result, operand);
    }

    /** @param number a factor of the result, or the order of a length */
    private void reduce(int code, double number, Tensor result, Tensor operand) {
        long lines = result.elements();
        if (lines == 0) {
            return;
        }
        Lines over = Lines.of(result.sizes(), operand);
        Walk lineWalk = Walk.over(result.sizes(), over.kept(), result.strides());
        kernels.kernel("reductions", "reduce", ElementTypes.of(result, operand))
                .launch(
                        shape(lines, over.length(), lineWalk),
                        code,
                        lines,
                        over.length(),
                        number,
                        DeviceView.of(result.address(), lineWalk.sizes(), lineWalk.strides()[1]),
                        DeviceView.of(operand.address(), lineWalk.sizes(), lineWalk.strides()[0]),
                        over.reduced());
    }

    /** Neighbouring threads take neighbouring elements, be they of one line or of one line each. */
    private static LaunchShape shape(long lines, long length, Walk lineWalk) {
        int last = lineWalk.sizes().length - 1;
        boolean besideEachOther = last >= 0 && lineWalk.strides()[0][last] == 1;
        int across = length <= WARP ? THREADS : besideEachOther ? WARP : 1;
        int along = across == 1 && lines < MOST_THREADS ? MOST_THREADS : THREADS / across;
        return new LaunchShape(Math.toIntExact(Bytes.ceilDiv(lines, across)), 1, 1, across, along, 1, 0);
    }

    private static int code(Kind kind) {
        return switch (kind) {
            case SUM, MEAN -> 0;
            case MAX -> 1;
            case MIN -> 2;
            case ANY -> 3;
            case ALL -> 4;
            case NORM -> 5;
            case PRODUCT -> 6;
            case SUM_OF_NUMBERS -> SUM_OF_NUMBERS;
        };
    }

    @Override
    public void extremes(Kind kind, @Nullable Tensor values, Tensor places, Tensor operand, int dim) {
        boolean scalar = operand.dims() == 0;
        long[] first = firstOfLines(operand, dim);
        kernels.kernel("reductions", "extremes", ElementTypes.of(places, operand))
                .launch(
                        LaunchShape.of(Math.toIntExact(Layout.elements(first)), THREADS),
                        kind == Kind.MAX ? 1 : 0,
                        scalar ? 1L : operand.size(dim),
                        DeviceView.of(places.address(), first, places.strides()),
                        values == null ? DeviceView.none() : DeviceView.of(values.address(), first, values.strides()),
                        DeviceView.of(operand.address(), first, operand.strides()),
                        scalar ? 0L : operand.stride(dim));
    }

    @Override
    public void moments(Tensor variance, @Nullable Tensor mean, Tensor operand, double correction) {
        Lines lines = Lines.of(variance.sizes(), operand);
        kernels.kernel("reductions", "moments", ElementTypes.of(variance, operand))
                .launch(
                        LaunchShape.of(Math.toIntExact(variance.elements()), THREADS),
                        lines.length(),
                        correction,
                        DeviceView.of(variance),
                        mean == null ? DeviceView.none() : DeviceView.of(mean),
                        DeviceView.of(operand.address(), variance.sizes(), lines.kept()),
                        lines.reduced());
    }

    /**
     * What a reduction walks over.
     *
     * @param length elements of a line
     * @param kept the operand's strides from line to line
     * @param reduced a view of a line
     */
    private record Lines(long length, long[] kept, byte[] reduced) {
        /** @param result sizes, 1 in the reduced dimensions */
        static Lines of(long[] result, Tensor operand) {
            long[] inner = new long[result.length];
            long[] kept = new long[result.length];
            for (int d = 0; d < inner.length; d++) {
                inner[d] = result[d] == 1 ? operand.sizes()[d] : 1;
                kept[d] = result[d] == 1 ? 0 : operand.strides()[d];
            }
            Walk walk = Walk.over(inner, operand.strides());
            return new Lines(
                    Layout.elements(inner), kept, DeviceView.of(operand.address(), walk.sizes(), walk.strides()[0]));
        }
    }

    /** The operand's sizes without the dimension. */
    @Override
    public void choose(Choice choice, long rank, Tensor values, Tensor places, Tensor operand, int dim) {
        boolean scalar = operand.dims() == 0;
        long[] first = firstOfLines(operand, dim);
        kernels.kernel("reductions", "choose", ElementTypes.of(places, operand))
                .launch(
                        LaunchShape.of(Math.toIntExact(Layout.elements(first)), THREADS),
                        choice.ordinal(),
                        rank,
                        scalar ? 1L : operand.size(dim),
                        DeviceView.of(places.address(), first, places.strides()),
                        DeviceView.of(values.address(), first, values.strides()),
                        DeviceView.of(operand.address(), first, operand.strides()),
                        scalar ? 0L : operand.stride(dim));
    }

    private static long[] firstOfLines(Tensor operand, int dim) {
        long[] first = operand.sizes().clone();
        if (first.length > 0) {
            first[dim] = 1;
        }
        return first;
    }

    @Override
    public void sort(Tensor values, Tensor places, Tensor operand, int dim, boolean descending) {
        if (operand.elements() == 0) {
            return;
        }
        boolean scalar = operand.dims() == 0;
        long[] first = firstOfLines(operand, dim);
        kernels.kernel("reductions", "sorted", ElementTypes.of(values, operand))
                .launch(
                        LaunchShape.elements(operand.elements()),
                        Layout.elements(first),
                        scalar ? 1L : operand.size(dim),
                        scalar ? 1L : values.size(dim),
                        descending ? 1 : 0,
                        DeviceView.of(values.address(), first, values.strides()),
                        scalar ? 0L : values.stride(dim),
                        DeviceView.of(places.address(), first, places.strides()),
                        scalar ? 0L : places.stride(dim),
                        DeviceView.of(operand.address(), first, operand.strides()),
                        scalar ? 0L : operand.stride(dim));
    }

    @Override
    public void scan(Scan scan, Tensor result, @Nullable Tensor places, Tensor operand, int dim) {
        if (operand.elements() == 0) {
            return;
        }
        boolean scalar = operand.dims() == 0;
        long length = scalar ? 1 : operand.size(dim);
        long[] first = firstOfLines(operand, dim);
        long lines = Layout.elements(first);
        kernels.kernel("reductions", "scan", ElementTypes.of(result, operand))
                .launch(
                        LaunchShape.elements(lines),
                        scan.ordinal(),
                        lines,
                        length,
                        DeviceView.of(result.address(), first, result.strides()),
                        scalar ? 0L : result.stride(dim),
                        places == null ? DeviceView.none() : DeviceView.of(places.address(), first, places.strides()),
                        scalar || places == null ? 0L : places.stride(dim),
                        DeviceView.of(operand.address(), first, operand.strides()),
                        scalar ? 0L : operand.stride(dim));
    }

    @Override
    public void histogram(Tensor counts, Tensor operand, Tensor @Nullable [] bounds, double least, double most) {
        CudaTransfer.fill(
                counts.address(), 0, counts.elements() * counts.dtype().bytes());
        kernels.kernel("reductions", "histogram", ElementTypes.of(counts, operand))
                .launch(
                        LaunchShape.elements(operand.elements()),
                        operand.elements(),
                        counts.elements(),
                        counts.address(),
                        DeviceView.of(operand),
                        bounds == null ? 0L : bounds[0].address(),
                        bounds == null ? 0L : bounds[1].address(),
                        least,
                        most);
    }
}
