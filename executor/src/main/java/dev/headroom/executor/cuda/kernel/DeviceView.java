package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Tensors as kernels see them: the bytes of {@code tensor.cuh}'s {@code View}. */
public final class DeviceView {
    /** Dimensions that a view can have. */
    static final int DIMS = 8;

    private static final int BYTES = (2 + 2 * DIMS) * Long.BYTES;

    private DeviceView() {}

    public static byte[] of(Tensor t) {
        return of(inMemory(t), t.sizes(), t.strides());
    }

    /** A tensor in a larger shape that it broadcasts to. */
    public static byte[] of(Tensor t, long[] sizes) {
        return of(inMemory(t), sizes, Layout.expanded(t.sizes(), t.strides(), sizes));
    }

    /** A kernel that reads outside of the device's memory would spoil the context for all that comes after it. */
    private static long inMemory(Tensor t) {
        if (t.elements() > 0 && !t.storage().hasMemory()) {
            throw new UserInputException("a kernel takes a tensor that is not in the device's memory;"
                    + " run the model on another backend, or predict it");
        }
        return t.address();
    }

    /**
     * @param address of the first element
     * @throws UserInputException when there are too many dimensions
     */
    public static byte[] of(long address, long[] sizes, long[] strides) {
        if (sizes.length > DIMS) {
            throw tooManyDimensions(sizes.length);
        }
        ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
        out.putLong(address).putLong(sizes.length);
        for (int d = 0; d < DIMS; d++) {
            out.putLong((2 + d) * Long.BYTES, d < sizes.length ? sizes[d] : 1);
            out.putLong((2 + DIMS + d) * Long.BYTES, d < sizes.length ? strides[d] : 0);
        }
        return out.array();
    }

    /** No tensor: a null address. */
    public static byte[] none() {
        return new byte[BYTES];
    }

    /** The address, 0 for no tensor. */
    public static long address(@Nullable Tensor t) {
        return t == null ? 0 : t.address();
    }

    static UserInputException tooManyDimensions(int dims) {
        return new UserInputException("the cuda backend computes with at most " + DIMS + " dimensions, not " + dims);
    }
}
