package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.parallel.pipeline.Messages.Op;
import dev.headroom.executor.parallel.pipeline.Messages.Work;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Variables of a schedule's function: what one held goes when it is bound anew, or with the function. */
final class Locals implements AutoCloseable {
    private final Eager eager;
    private final Messages messages;
    private final Map<String, List<Op>> operations = new HashMap<>();
    private final Map<String, List<Work>> works = new HashMap<>();
    private final Map<String, Tensor> tensors = new HashMap<>();

    Locals(Eager eager, Messages messages) {
        this.eager = eager;
        this.messages = messages;
    }

    /** Binds operations, whose references pass over. */
    List<Op> bind(String name, List<Op> now) {
        List<Op> before = operations.put(name, now);
        if (before != null) {
            before.forEach(op -> eager.release(op.tensor()));
        }
        return now;
    }

    /** Binds works. */
    List<Work> bindWorks(String name, List<Work> now) {
        List<Work> before = works.put(name, now);
        if (before != null) {
            messages.forget(before);
        }
        return now;
    }

    /** The works that a name is bound to. */
    List<Work> works(String name) {
        return works.getOrDefault(name, List.of());
    }

    /** Binds a tensor, whose reference passes over. */
    Tensor bind(String name, Tensor now) {
        eager.release(tensors.put(name, now));
        return now;
    }

    @Override
    public void close() {
        tensors.values().forEach(eager::release);
        operations.values().forEach(ops -> ops.forEach(op -> eager.release(op.tensor())));
        works.values().forEach(messages::forget);
    }
}
