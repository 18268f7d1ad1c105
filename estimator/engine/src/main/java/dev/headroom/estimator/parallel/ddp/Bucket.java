package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A flat buffer for the gradients of some parameters, which are reduced together. */
final class Bucket {
    private final EagerRuntime runtime;
    private final List<Tensor> parameters;
    private final Map<Tensor, Long> offsets = new HashMap<>();
    private final Tensor buffer;
    private int pending;

    Bucket(EagerRuntime runtime, List<Tensor> parameters) {
        this.runtime = runtime;
        this.parameters = parameters;
        long numel = 0;
        for (Tensor p : parameters) {
            offsets.put(p, numel);
            numel += p.numel();
        }
        try (Frame frame = runtime.frame()) {
            buffer = runtime.hold(runtime.emptyStrided(
                    parameters.get(0).dtype(), new long[] {numel}, new long[] {1}, Category.GRADIENTS));
        }
    }

    /** The flat buffer. */
    Tensor buffer() {
        return buffer;
    }

    List<Tensor> parameters() {
        return parameters;
    }

    long bytes() {
        return buffer.nbytes();
    }

    DType type() {
        return buffer.dtype();
    }

    /** No gradient of the pass that begins has arrived yet. */
    void reset() {
        pending = parameters.size();
    }

    /** One more gradient is there. */
    void arrived() {
        pending--;
    }

    boolean isFull() {
        return pending == 0;
    }

    /** Makes {@code .grad} of a parameter its part of the bucket, unless it is that already or there is none. */
    void adopt(Tensor parameter) {
        Tensor grad = parameter.grad();
        if (grad == null || grad.storage() == buffer.storage()) {
            return;
        }
        try (Frame frame = runtime.frame()) {
            boolean dense = parameter.isNonOverlappingAndDense();
            runtime.setGrad(
                    parameter,
                    runtime.reinterpret(
                            buffer,
                            parameter.sizes(),
                            dense ? parameter.strides() : Shapes.contiguous(parameter.sizes()),
                            Objects.requireNonNull(offsets.get(parameter))));
        }
    }

    /** Lets go of the buffer; parts of it that are {@code .grad} of parameters keep it. */
    void release() {
        runtime.release(buffer);
    }
}
