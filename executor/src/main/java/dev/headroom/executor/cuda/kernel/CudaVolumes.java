package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.VolumeKernels;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Maps of volumes by kernels of the project's own: a thread for each element of the smaller side. */
public final class CudaVolumes implements VolumeKernels {
    private static final int DIMS = 5;
    private static final int SPATIAL = 3;
    private static final Axis SAME = Axis.resampled(Kind.NEAREST, 1, false);

    private final KernelFiles kernels;

    public CudaVolumes(KernelFiles kernels) {
        this.kernels = kernels;
    }

    private void launch(String name, Tensor elements, DType[] types, Object... arguments) {
        Object[] all = new Object[arguments.length + 1];
        all[0] = elements.elements();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        kernels.kernel("volumes", name, types).launch(LaunchShape.elements(elements.elements()), all);
    }

    private static DType[] types(Tensor result, Tensor operand) {
        return new DType[] {result.dtype(), operand.dtype()};
    }

    /** As (n, c, depth, height, width). */
    private static byte[] view(Tensor t, int dims) {
        long[] sizes = new long[DIMS];
        long[] strides = new long[DIMS];
        Arrays.fill(sizes, 1);
        for (int d = 0; d < t.dims(); d++) {
            int fromEnd = t.dims() - d;
            int at = fromEnd <= dims ? DIMS - fromEnd : DIMS - SPATIAL - (fromEnd - dims);
            sizes[at] = t.size(d);
            strides[at] = t.stride(d);
        }
        return DeviceView.of(t.address(), sizes, strides);
    }

    /** The kernels' {@code struct Axis}, three of them. */
    private static byte[] axes(Axis... given) {
        ByteBuffer out = ByteBuffer.allocate(SPATIAL * 7 * Long.BYTES).order(ByteOrder.nativeOrder());
        for (int i = 0; i < SPATIAL; i++) {
            int at = i - (SPATIAL - given.length);
            Axis a = at < 0 ? SAME : given[at];
            out.putLong(a.kind().ordinal()).putLong(a.kernel()).putLong(a.stride());
            out.putLong(a.padding())
                    .putLong(a.dilation())
                    .putLong(a.corners() ? 1 : 0)
                    .putDouble(a.scale());
        }
        return out.array();
    }

    private static byte[] grid(Grid how, int dims) {
        return ByteBuffer.allocate(4 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(how.sampling().ordinal())
                .putLong(how.border().ordinal())
                .putLong(how.corners() ? 1 : 0)
                .putLong(dims)
                .array();
    }

    private static void clear(Tensor t) {
        if (t.elements() > 0) {
            CudaTransfer.fill(t.address(), 0, t.elements() * t.dtype().bytes());
        }
    }

    @Override
    public void greatest(Tensor out, Tensor places, Tensor x, Axis... axes) {
        int dims = axes.length;
        launch("greatest", out, types(out, x), view(out, dims), view(places, dims), view(x, dims), axes(axes));
    }

    @Override
    public void addAt(Tensor into, Tensor values, Tensor places, int dims) {
        launch("add_at", values, types(into, values), view(into, dims), view(values, dims), view(places, dims));
    }

    @Override
    public void takeAt(Tensor out, Tensor x, Tensor places, int dims) {
        launch("take_at", out, types(out, x), view(out, dims), view(x, dims), view(places, dims));
    }

    /** The kernels' {@code struct Windows}. */
    private static byte[] windows(Tensor columns, Tensor image, Axis... axes) {
        ByteBuffer out = ByteBuffer.allocate(12 * Long.BYTES).order(ByteOrder.nativeOrder());
        out.putLong(axes[0].kernel()).putLong(axes[1].kernel());
        out.putLong(axes[0].stride()).putLong(axes[1].stride());
        out.putLong(axes[0].padding()).putLong(axes[1].padding());
        out.putLong(axes[0].dilation()).putLong(axes[1].dilation());
        long width = image.size(-1);
        long covered = axes[1].dilation() * (axes[1].kernel() - 1) + 1;
        long perRow = (width + 2 * axes[1].padding() - covered) / axes[1].stride() + 1;
        return out.putLong(image.size(-2))
                .putLong(width)
                .putLong(perRow)
                .putLong(columns.size(-1))
                .array();
    }

    private void patches(String name, Tensor to, Tensor from, byte[] windows) {
        kernels.kernel("patches", name, to.dtype())
                .launch(LaunchShape.elements(to.elements()), to.elements(), to.address(), from.address(), windows);
    }

    @Override
    public void columns(Tensor columns, Tensor image, Axis... axes) {
        patches("columns", columns, image, windows(columns, image, axes));
    }

    @Override
    public void image(Tensor image, Tensor columns, Axis... axes) {
        patches("image", image, columns, windows(columns, image, axes));
    }

    @Override
    public void resample(Tensor out, Tensor x, Axis... axes) {
        int dims = axes.length;
        launch("resample", out, types(out, x), view(out, dims), view(x, dims), axes(axes));
    }

    @Override
    public void resampleBackward(Tensor gradX, Tensor g, Axis... axes) {
        clear(gradX);
        int dims = axes.length;
        launch("resample_backward", g, types(gradX, g), view(gradX, dims), view(g, dims), axes(axes));
    }

    @Override
    public void sample(Tensor out, Tensor x, Tensor grid, Grid how) {
        int dims = x.dims() - 2;
        launch("sample", out, types(out, x), view(out, dims), view(x, dims), DeviceView.of(grid), grid(how, dims));
    }

    @Override
    public void sampleBackward(@Nullable Tensor gradX, Tensor gradGrid, Tensor g, Tensor x, Tensor grid, Grid how) {
        int dims = x.dims() - 2;
        clear(gradGrid);
        launch(
                "sample_backward",
                g,
                types(x, x),
                gradX == null ? DeviceView.none() : view(gradX, dims),
                DeviceView.of(gradGrid),
                view(g, dims),
                view(x, dims),
                DeviceView.of(grid),
                grid(how, dims));
    }

    /** By the definition, a thread for each element of the result. */
    @Override
    public void transform(Tensor[] out, Tensor[] in, Wave wave) {
        if (wave.dims().length > SPATIAL) {
            throw new UserInputException("the cuda backend transforms at most three dimensions together");
        }
        ByteBuffer how = ByteBuffer.allocate((3 + 2 * SPATIAL) * Long.BYTES + Double.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(wave.dims().length)
                .putLong(wave.sign())
                .putLong(wave.mirrored() ? 1 : 0);
        for (int d = 0; d < SPATIAL; d++) {
            how.putLong(d < wave.dims().length ? wave.dims()[d] : 0);
        }
        for (int d = 0; d < SPATIAL; d++) {
            how.putLong(d < wave.dims().length ? wave.lengths()[d] : 1);
        }
        how.putDouble(wave.scale());
        kernels.kernel("fourier", "transform", out[0].dtype())
                .launch(
                        LaunchShape.elements(out[0].elements()),
                        out[0].elements(),
                        DeviceView.of(out[0]),
                        out.length > 1 ? DeviceView.of(out[1]) : DeviceView.none(),
                        DeviceView.of(in[0]),
                        in.length > 1 ? DeviceView.of(in[1]) : DeviceView.none(),
                        how.array());
    }
}
