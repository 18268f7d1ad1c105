package dev.headroom.estimator.script;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/** What an expression comes to; tensors with a reference each, which whoever has the value gives back. */
sealed interface Value {
    /** @param several whether it is a tuple, of however many */
    record Tensors(List<Tensor> all, boolean several) implements Value {
        static Tensors one(Tensor t) {
            return new Tensors(List.of(t), false);
        }
    }

    record Scalar(double value, boolean isInteger) implements Value {}

    record Flag(boolean value) implements Value {}

    record Sequence(List<Value> parts) implements Value {}

    /** Gives the references back. */
    static void release(EagerRuntime runtime, Value value) {
        if (value instanceof Tensors t) {
            t.all.forEach(runtime::release);
        } else if (value instanceof Sequence s) {
            s.parts.forEach(part -> release(runtime, part));
        }
    }
}
