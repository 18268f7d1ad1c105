package dev.headroom.executor.cudnn;

import static org.bytedeco.cuda.global.cudnn.CUDNN_STATUS_SUCCESS;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TYPE_BACKEND_DESCRIPTOR;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TYPE_INT64;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendCreateDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendDestroyDescriptor;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendFinalize;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendGetAttribute;
import static org.bytedeco.cuda.global.cudnn.cudnnBackendSetAttribute;
import static org.bytedeco.cuda.global.cudnn.cudnnGetErrorString;
import static org.bytedeco.cuda.global.cudnn.cudnnGetLastErrorString;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudnn.cudnnBackendDescriptor_t;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.PointerScope;
import org.jspecify.annotations.Nullable;

/** Descriptors of cuDNN's backend that are made for one question and destroyed with it. */
final class Descriptors implements AutoCloseable {
    private final List<cudnnBackendDescriptor_t> made = new ArrayList<>();
    private final PointerScope scope = new PointerScope();

    /** cuDNN does not know an attribute, or rejects a value. */
    static final class Rejected extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Rejected(String message) {
            super(message);
        }
    }

    cudnnBackendDescriptor_t create(int type) {
        cudnnBackendDescriptor_t d = new cudnnBackendDescriptor_t();
        check("cudnnBackendCreateDescriptor", cudnnBackendCreateDescriptor(type, d));
        made.add(d);
        return d;
    }

    void setLongs(cudnnBackendDescriptor_t d, int attribute, long... values) {
        set(d, attribute, CUDNN_TYPE_INT64, values.length, new LongPointer(values));
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

    private void set(cudnnBackendDescriptor_t d, int attribute, int type, long count, Pointer values) {
        check("cudnnBackendSetAttribute", cudnnBackendSetAttribute(d, attribute, type, count, values));
    }

    void finish(cudnnBackendDescriptor_t d) {
        check("cudnnBackendFinalize", cudnnBackendFinalize(d));
    }

    /** Whether a descriptor can be finished: a plan that the GPU cannot run cannot. */
    boolean finishes(cudnnBackendDescriptor_t d) {
        return cudnnBackendFinalize(d) == CUDNN_STATUS_SUCCESS;
    }

    long getLong(cudnnBackendDescriptor_t d, int attribute) {
        LongPointer value = new LongPointer(1);
        get(d, attribute, CUDNN_TYPE_INT64, 1, value);
        return value.get();
    }

    /** Values of an enumeration; no more than {@code most}. */
    int[] getEnums(cudnnBackendDescriptor_t d, int attribute, int type, int most) {
        IntPointer values = new IntPointer(most);
        int[] out = new int[(int) get(d, attribute, type, most, values)];
        values.get(out);
        return out;
    }

    /** Descriptors of a type that an attribute holds. */
    List<cudnnBackendDescriptor_t> getDescriptors(cudnnBackendDescriptor_t d, int attribute, int type) {
        long count = get(d, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, null);
        List<cudnnBackendDescriptor_t> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            out.add(create(type));
        }
        if (count > 0) {
            PointerPointer<cudnnBackendDescriptor_t> array =
                    new PointerPointer<>(out.toArray(new cudnnBackendDescriptor_t[0]));
            long got = get(d, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, array);
            return out.subList(0, (int) got);
        }
        return out;
    }

    private long get(cudnnBackendDescriptor_t d, int attribute, int type, long most, @Nullable Pointer values) {
        long[] count = new long[1];
        check("cudnnBackendGetAttribute", cudnnBackendGetAttribute(d, attribute, type, most, count, values));
        return Math.min(count[0], most == 0 ? count[0] : most);
    }

    private static void check(String call, int status) {
        if (status != CUDNN_STATUS_SUCCESS) {
            BytePointer message = new BytePointer(512);
            cudnnGetLastErrorString(message, message.capacity());
            String first = message.getString().lines().findFirst().orElse("").strip();
            throw new Rejected(call + ": " + cudnnGetErrorString(status).getString() + " " + first);
        }
    }

    @Override
    public void close() {
        for (int i = made.size() - 1; i >= 0; i--) {
            cudnnBackendDestroyDescriptor(made.get(i));
        }
        made.clear();
        scope.close();
    }
}
