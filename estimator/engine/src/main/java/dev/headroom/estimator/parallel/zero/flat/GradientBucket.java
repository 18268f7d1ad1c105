package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Gradients that wait to be reduced (deepspeed/runtime/zero/stage_1_and_2.py, IPGBucket): references, and with
 * contiguous gradients a buffer that they are copied into, or two that take turns.
 */
final class GradientBucket {
    private final EagerRuntime runtime;
    private final long capacity;
    private final List<Tensor> buffers = new ArrayList<>();
    private final List<Tensor> parameters = new ArrayList<>();
    private final List<Tensor> gradients = new ArrayList<>();
    private int current;
    private long elements;

    /** @param capacity in elements */
    GradientBucket(EagerRuntime runtime, long capacity) {
        this.runtime = runtime;
        this.capacity = capacity;
    }

    /** Makes buffers in place of those before. */
    void makeBuffers(DType type, int count) {
        releaseBuffers();
        current = 0;
        for (int i = 0; i < count; i++) {
            try (Frame frame = runtime.frame()) {
                buffers.add(runtime.hold(
                        runtime.emptyStrided(type, new long[] {capacity}, new long[] {1}, Category.GRADIENTS)));
            }
        }
    }

    void releaseBuffers() {
        buffers.forEach(runtime::release);
        buffers.clear();
    }

    boolean hasRoomFor(Tensor parameter) {
        return elements + parameter.numel() <= capacity;
    }

    /** The other buffer is filled from now on. */
    void turn() {
        current = 1 - current;
    }

    /** Adds a parameter's gradient; with a buffer its memory becomes a part of it, unless it is too large. */
    void add(Tensor parameter) {
        Tensor gradient = Objects.requireNonNull(parameter.grad());
        if (!buffers.isEmpty() && parameter.numel() <= capacity) {
            runtime.setData(gradient, buffers.get(current), Shapes.contiguous(gradient.sizes()), elements);
        }
        elements += parameter.numel();
        parameters.add(parameter);
        gradients.add(runtime.hold(gradient));
    }

    List<Tensor> parameters() {
        return parameters;
    }

    List<Tensor> gradients() {
        return gradients;
    }

    /** What is to be reduced as one: the filled part of the buffer, or the one gradient that it has no room for. */
    Tensor filled() {
        boolean large = elements > capacity;
        return runtime.reinterpret(
                large ? gradients.get(0) : buffers.get(current), new long[] {elements}, new long[] {1}, 0);
    }

    void clear() {
        gradients.forEach(runtime::release);
        gradients.clear();
        parameters.clear();
        elements = 0;
    }
}
