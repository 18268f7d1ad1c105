package dev.headroom.executor.host;

import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Tensors' values as arrays of doubles in row-major order: what host kernels compute with. */
public final class HostArrays {
    private final HostMemory memory;

    HostArrays(HostMemory memory) {
        this.memory = memory;
    }

    /** A tensor's values. */
    double[] read(Tensor t) {
        return read(t, t.sizes());
    }

    /** A tensor's values, repeated to a shape that it broadcasts to. */
    double[] read(Tensor t, long[] sizes) {
        double[] out = new double[Math.toIntExact(Layout.elements(sizes))];
        if (!t.onDevice()) {
            Arrays.fill(out, t.number());
            return out;
        }
        if (out.length == 0) {
            return out;
        }
        Elements elements = Elements.of(t.dtype());
        ByteBuffer segment = memory.segment(t.address());
        int bytes = t.dtype().bytes();
        long[] strides = Layout.expanded(t.sizes(), t.strides(), sizes);
        int[] places = places(sizes, strides, bytes, memory.position(t.address()));
        for (int i = 0; i < out.length; i++) {
            out[i] = elements.get(segment, places[i]);
        }
        return out;
    }

    /** Sets a tensor's values. */
    void write(Tensor t, double[] values) {
        if (values.length == 0) {
            return;
        }
        Elements elements = Elements.of(t.dtype());
        ByteBuffer segment = memory.segment(t.address());
        int[] places = places(t.sizes(), t.strides(), t.dtype().bytes(), memory.position(t.address()));
        for (int i = 0; i < values.length; i++) {
            elements.set(segment, places[i], values[i]);
        }
    }

    /** Numbers of a type that lie one after the other. */
    double[] read(DType type, long address, int count) {
        double[] out = new double[count];
        Elements elements = Elements.of(type);
        ByteBuffer segment = memory.segment(address);
        int first = memory.position(address);
        for (int i = 0; i < count; i++) {
            out[i] = elements.get(segment, first + i * type.bytes());
        }
        return out;
    }

    /** Sets numbers of a type that lie one after the other. */
    void write(DType type, long address, double[] values) {
        Elements elements = Elements.of(type);
        ByteBuffer segment = memory.segment(address);
        int first = memory.position(address);
        for (int i = 0; i < values.length; i++) {
            elements.set(segment, first + i * type.bytes(), values[i]);
        }
    }

    /**
     * A tensor's values out of a copy of its memory.
     *
     * @param memory from the tensor's first element on
     * @param strides in elements
     */
    public static double[] gather(ByteBuffer memory, DType type, long[] sizes, long[] strides) {
        Elements elements = Elements.of(type);
        int[] places = places(sizes, strides, type.bytes(), 0);
        double[] out = new double[places.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = elements.get(memory, places[i]);
        }
        return out;
    }

    /** Sets a tensor's values, rounded to its type, in a copy of its memory. */
    public static void scatter(ByteBuffer memory, DType type, long[] sizes, long[] strides, double[] values) {
        Elements elements = Elements.of(type);
        int[] places = places(sizes, strides, type.bytes(), 0);
        for (int i = 0; i < values.length; i++) {
            elements.set(memory, places[i], values[i]);
        }
    }

    /** First byte of every element in row-major order. */
    private static int[] places(long[] sizes, long[] strides, int bytes, int first) {
        int[] out = new int[Math.toIntExact(Layout.elements(sizes))];
        out[0] = first;
        int filled = 1;
        // Each dimension repeats what the inner ones made.
        for (int d = sizes.length - 1; d >= 0; d--) {
            int step = Math.toIntExact(strides[d] * bytes);
            int inner = filled;
            for (int i = 1; i < sizes[d]; i++) {
                for (int j = 0; j < inner; j++) {
                    out[filled++] = out[j] + i * step;
                }
            }
        }
        return out;
    }
}
