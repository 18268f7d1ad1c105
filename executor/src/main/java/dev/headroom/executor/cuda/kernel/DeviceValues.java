package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.host.HostArrays;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Tensors' values as arrays of doubles in row-major order, through a copy of their stretch of device memory. */
public final class DeviceValues {
    private DeviceValues() {}

    public static double[] read(Tensor t) {
        if (!t.onDevice()) {
            return new double[] {t.number()};
        }
        if (t.elements() == 0) {
            return new double[0];
        }
        return HostArrays.gather(stretch(t), t.dtype(), t.sizes(), t.strides());
    }

    @SuppressWarnings("ByteBufferBackingArray") // made here, from its first byte on
    public static void write(Tensor t, double[] values) {
        if (t.elements() == 0) {
            return;
        }
        // Between the elements of a tensor with gaps lie others, which must stay.
        ByteBuffer stretch = Layout.isDense(t.sizes(), t.strides()) ? buffer(t) : stretch(t);
        HostArrays.scatter(stretch, t.dtype(), t.sizes(), t.strides(), values);
        CudaTransfer.toDevice(t.address(), stretch.array());
    }

    @SuppressWarnings("ByteBufferBackingArray") // made here, from its first byte on
    private static ByteBuffer stretch(Tensor t) {
        ByteBuffer out = buffer(t);
        CudaTransfer.toHost(t.address(), out.array());
        return out;
    }

    /** Room for what lies between a tensor's first and last element. */
    private static ByteBuffer buffer(Tensor t) {
        long last = 0;
        for (int d = 0; d < t.dims(); d++) {
            last += (t.sizes()[d] - 1) * t.strides()[d];
        }
        long bytes = (last + 1) * t.dtype().bytes();
        if (bytes > Integer.MAX_VALUE) {
            throw new UserInputException("a tensor of " + bytes + " bytes is too large to be copied to the host");
        }
        return ByteBuffer.allocate((int) bytes).order(ByteOrder.nativeOrder());
    }
}
