package dev.headroom.estimator.script;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

    /** Adds what names hold. */
    static void describe(Map<String, Value> held, Beginning to) {
        List<String> names = held.keySet().stream().sorted().toList();
        to.constant(names);
        names.forEach(name -> describe(Objects.requireNonNull(held.get(name)), to));
    }

    private static void describe(Value value, Beginning to) {
        if (value instanceof Tensors t) {
            to.flag(t.several);
            to.parts(t.all);
        } else if (value instanceof Sequence s) {
            to.number(s.parts.size());
            s.parts.forEach(part -> describe(part, to));
        } else {
            to.constant(value);
        }
    }
}
