package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.PoolingKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Pooling and resampling by kernels of the project's own, as PyTorch has its own. */
public final class CudaPoolings implements PoolingKernels {
    private static final int DIMS = 4;

    private final KernelFiles kernels;

    public CudaPoolings(KernelFiles kernels) {
        this.kernels = kernels;
    }

    /** A thread for each element of a tensor. */
    private void launch(String name, Tensor elements, Tensor result, Tensor operand, DType places, Object... rest) {
        Object[] arguments = new Object[rest.length + 1];
        arguments[0] = elements.elements();
        System.arraycopy(rest, 0, arguments, 1, rest.length);
        kernels.kernel("poolings", name, result.dtype(), operand.dtype(), places)
                .launch(LaunchShape.elements(elements.elements()), arguments);
    }

    private void launch(String name, Tensor elements, Tensor result, Tensor operand, Object... rest) {
        Object[] arguments = new Object[rest.length + 2];
        arguments[0] = view(result);
        arguments[1] = view(operand);
        System.arraycopy(rest, 0, arguments, 2, rest.length);
        launch(name, elements, result, operand, DType.INT64, arguments);
    }

    /** As (n, c, height, width). */
    private static byte[] view(Tensor t) {
        int missing = DIMS - t.dims();
        long[] sizes = new long[DIMS];
        long[] strides = new long[DIMS];
        Arrays.fill(sizes, 1);
        System.arraycopy(t.sizes(), 0, sizes, missing, t.dims());
        System.arraycopy(t.strides(), 0, strides, missing, t.dims());
        return DeviceView.of(t.address(), sizes, strides);
    }

    private static byte[] window(Window w) {
        ByteBuffer out = ByteBuffer.allocate(8 * Long.BYTES).order(ByteOrder.nativeOrder());
        for (long[] values : new long[][] {w.kernel(), w.stride(), w.padding(), w.dilation()}) {
            out.putLong(values[0]).putLong(values[1]);
        }
        return out.array();
    }

    private static void clear(Tensor t) {
        if (t.elements() > 0) {
            CudaTransfer.fill(t.address(), 0, t.elements() * t.dtype().bytes());
        }
    }

    @Override
    public void maxPool(Tensor out, Tensor places, Tensor x, Window window) {
        launch("max_pool", out, out, x, places.dtype(), view(out), view(places), view(x), window(window));
    }

    @Override
    public void maxPoolBackward(Tensor gradX, Tensor g, Tensor places) {
        clear(gradX);
        launch("max_pool_backward", g, gradX, g, places.dtype(), view(gradX), view(g), view(places));
    }

    @Override
    public void averagePool(Tensor out, Tensor x, Window window, boolean countsPadding, long divisor) {
        launch("average_pool", out, out, x, window(window), countsPadding ? 1 : 0, divisor);
    }

    @Override
    public void averagePoolBackward(Tensor gradX, Tensor g, Window window, boolean countsPadding, long divisor) {
        launch("average_pool_backward", gradX, gradX, g, window(window), countsPadding ? 1 : 0, divisor);
    }

    @Override
    public void adaptiveAveragePool(Tensor out, Tensor x) {
        launch("adaptive_average_pool", out, out, x);
    }

    @Override
    public void adaptiveAveragePoolBackward(Tensor gradX, Tensor g) {
        launch("adaptive_average_pool_backward", gradX, gradX, g);
    }

    @Override
    public void nearest(Tensor out, Tensor x, Scaling scaling) {
        launch("nearest", out, out, x, steps(x, out, scaling, false));
    }

    @Override
    public void nearestBackward(Tensor gradX, Tensor g, Scaling scaling) {
        clear(gradX);
        launch("nearest_backward", g, gradX, g, steps(gradX, g, scaling, false));
    }

    @Override
    public void bilinear(Tensor out, Tensor x, Scaling scaling) {
        launch("bilinear", out, out, x, steps(x, out, scaling, scaling.alignCorners()));
    }

    @Override
    public void bilinearBackward(Tensor gradX, Tensor g, Scaling scaling) {
        clear(gradX);
        launch("bilinear_backward", g, gradX, g, steps(gradX, g, scaling, scaling.alignCorners()));
    }

    private static byte[] bytes(Regions how) {
        return ByteBuffer.allocate(4 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(how.kind().ordinal())
                .putLong(how.samples())
                .putLong(how.aligned() ? 1 : 0)
                .putDouble(how.scale())
                .array();
    }

    @Override
    public void regions(Tensor out, @Nullable Tensor places, Tensor x, Tensor regions, Regions how) {
        kernels.kernel("regions", "regions", out.dtype(), x.dtype())
                .launch(
                        LaunchShape.elements(out.elements()),
                        out.elements(),
                        DeviceView.of(out),
                        DeviceView.address(places),
                        DeviceView.of(x),
                        DeviceView.of(regions),
                        bytes(how));
    }

    @Override
    public void regionsBackward(Tensor gradX, Tensor g, @Nullable Tensor places, Tensor regions, Regions how) {
        kernels.kernel("regions", "regions_backward", gradX.dtype(), g.dtype())
                .launch(
                        LaunchShape.elements(g.elements()),
                        g.elements(),
                        DeviceView.of(gradX),
                        DeviceView.of(g),
                        DeviceView.address(places),
                        DeviceView.of(regions),
                        bytes(how));
    }

    /** The kernels' {@code struct Scaling}: elements of the input from one of the output to the next. */
    private static byte[] steps(Tensor input, Tensor output, Scaling scaling, boolean alignCorners) {
        ByteBuffer out = ByteBuffer.allocate(3 * Long.BYTES).order(ByteOrder.nativeOrder());
        for (int d = 0; d < 2; d++) {
            long from = input.size(d - 2);
            long to = output.size(d - 2);
            double scale = scaling.scales()[d];
            double aligned = to > 1 ? (double) (from - 1) / (to - 1) : 0;
            out.putDouble(alignCorners ? aligned : scale > 0 ? 1 / scale : (double) from / to);
        }
        return out.putLong(alignCorners ? 1 : 0).array();
    }
}
