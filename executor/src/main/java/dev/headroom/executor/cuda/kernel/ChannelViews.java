package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Tensors of one shape (n, c, …) for kernels that go through them by channel: the other dimensions are joined. */
public final class ChannelViews {
    private final long channels;
    private final long length;
    private final byte[][] views;

    private ChannelViews(@Nullable Tensor... tensors) {
        Tensor shape = tensors[0] == null ? tensors[1] : tensors[0];
        long[] others = shape.sizes().clone();
        channels = others[1];
        others[1] = 1;
        length = channels == 0 ? 0 : shape.elements() / channels;
        long[][] strides = new long[tensors.length][];
        for (int i = 0; i < tensors.length; i++) {
            strides[i] = tensors[i] == null ? new long[others.length] : tensors[i].strides();
        }
        Walk walk = Walk.over(others, strides);
        views = new byte[tensors.length][];
        for (int i = 0; i < tensors.length; i++) {
            views[i] = tensors[i] == null
                    ? DeviceView.none()
                    : DeviceView.of(
                            tensors[i].address(),
                            before(channels, walk.sizes()),
                            before(tensors[i].strides()[1], walk.strides()[i]));
        }
    }

    /** @param tensors {@code null} for one that the kernel does without, but not the first two both */
    public static ChannelViews of(@Nullable Tensor... tensors) {
        return new ChannelViews(tensors);
    }

    private static long[] before(long first, long... rest) {
        long[] out = new long[rest.length + 1];
        out[0] = first;
        System.arraycopy(rest, 0, out, 1, rest.length);
        return out;
    }

    /** Elements of a channel. */
    public long length() {
        return length;
    }

    /** The view of a tensor, by its place in the list. */
    public byte[] view(int i) {
        return views[i];
    }

    /** A line of threads for each channel. */
    public LaunchShape shape() {
        return LaunchShape.lines(length == 0 ? 0 : channels, length);
    }
}
