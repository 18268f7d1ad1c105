package dev.headroom.executor.cudnn;

import static org.bytedeco.cuda.global.cudnn.CUDNN_STATUS_SUCCESS;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TYPE_BACKEND_DESCRIPTOR;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TYPE_HANDLE;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TYPE_INT64;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TYPE_VOID_PTR;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendCreateDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendDestroyDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendFinalize;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendGetAttribute;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendSetAttribute;

import dev.headroom.executor.cuda.driver.CudaStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudnn.cudnnBackendDescriptor_t;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.jspecify.annotations.Nullable;

/** Descriptors of cuDNN's backend that are destroyed together. What cuDNN rejects is a {@code CudaException}. */
final class Descriptors implements AutoCloseable {
    private final List<cudnnBackendDescriptor_t> made = new ArrayList<>();

    cudnnBackendDescriptor_t create(int type) {
        cudnnBackendDescriptor_t d = new cudnnBackendDescriptor_t();
        CudaStatus.dnn("cudnnBackendCreateDescriptor", cudnnBackendCreateDescriptor(type, d));
        made.add(d);
        return d;
    }

    /** From now on a descriptor is destroyed with others. */
    void handOver(cudnnBackendDescriptor_t d, Descriptors others) {
        made.remove(d);
        others.made.add(d);
    }

    void setLongs(cudnnBackendDescriptor_t d, int attribute, long... values) {
        set(d, attribute, CUDNN_TYPE_INT64, values.length, new LongPointer(values));
    }

    /** Addresses of device memory. */
    void setAddresses(cudnnBackendDescriptor_t d, int attribute, long... values) {
        set(d, attribute, CUDNN_TYPE_VOID_PTR, values.length, new LongPointer(values));
    }

    void setHandle(cudnnBackendDescriptor_t d, int attribute, cudnnContext handle) {
        set(d, attribute, CUDNN_TYPE_HANDLE, 1, new PointerPointer<>(1).put(0, handle));
    }

    /** @param type such as {@code CUDNN_TYPE_DATA_TYPE} */
    void setEnum(cudnnBackendDescriptor_t d, int attribute, int type, int value) {
        set(d, attribute, type, 1, new IntPointer(new int[] {value}));
    }

    void setText(cudnnBackendDescriptor_t d, int attribute, int type, String text) {
        byte[] bytes = (text + '\0').getBytes(StandardCharsets.UTF_8);
        set(d, attribute, type, bytes.length, new BytePointer(bytes));
    }

    void setFloat(cudnnBackendDescriptor_t d, int attribute, int type, float value) {
        set(d, attribute, type, 1, new FloatPointer(new float[] {value}));
    }

    void setDouble(cudnnBackendDescriptor_t d, int attribute, int type, double value) {
        set(d, attribute, type, 1, new DoublePointer(new double[] {value}));
    }

    void setDescriptor(cudnnBackendDescriptor_t d, int attribute, cudnnBackendDescriptor_t value) {
        set(d, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, new PointerPointer<>(1).put(0, value));
    }

    /** cuDNN keeps a copy of the values. */
    private static void set(cudnnBackendDescriptor_t d, int attribute, int type, long count, Pointer values) {
        try (values) {
            CudaStatus.dnn("cudnnBackendSetAttribute", cudnnBackendSetAttribute(d, attribute, type, count, values));
        }
    }

    void finish(cudnnBackendDescriptor_t d) {
        CudaStatus.dnn("cudnnBackendFinalize", cudnnBackendFinalize(d));
    }

    /** Whether a descriptor can be finished: a plan that the GPU cannot run cannot. */
    boolean finishes(cudnnBackendDescriptor_t d) {
        return cudnnBackendFinalize(d) == CUDNN_STATUS_SUCCESS;
    }

    long getLong(cudnnBackendDescriptor_t d, int attribute) {
        try (LongPointer value = new LongPointer(1)) {
            get(d, attribute, CUDNN_TYPE_INT64, 1, value);
            return value.get();
        }
    }

    /** Values of an enumeration; no more than {@code most}. */
    int[] getEnums(cudnnBackendDescriptor_t d, int attribute, int type, int most) {
        try (IntPointer values = new IntPointer(most)) {
            int[] out = new int[(int) get(d, attribute, type, most, values)];
            values.get(out);
            return out;
        }
    }

    /** Descriptors of a type that an attribute holds, the first of them; no more than {@code most}. */
    List<cudnnBackendDescriptor_t> getDescriptors(cudnnBackendDescriptor_t d, int attribute, int type, int most) {
        long count = Math.min(most, get(d, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, null));
        List<cudnnBackendDescriptor_t> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            out.add(create(type));
        }
        if (count == 0) {
            return out;
        }
        try (PointerPointer<cudnnBackendDescriptor_t> array =
                new PointerPointer<>(out.toArray(new cudnnBackendDescriptor_t[0]))) {
            return out.subList(0, (int) get(d, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, array));
        }
    }

    private static long get(cudnnBackendDescriptor_t d, int attribute, int type, long most, @Nullable Pointer values) {
        long[] count = new long[1];
        CudaStatus.dnn("cudnnBackendGetAttribute", cudnnBackendGetAttribute(d, attribute, type, most, count, values));
        return Math.min(count[0], most == 0 ? count[0] : most);
    }

    @Override
    public void close() {
        for (int i = made.size() - 1; i >= 0; i--) {
            cudnnBackendDestroyDescriptor(made.get(i));
        }
        made.clear();
    }
}
