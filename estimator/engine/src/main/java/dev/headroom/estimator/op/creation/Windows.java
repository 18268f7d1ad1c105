package dev.headroom.estimator.op.creation;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Window functions (ATen/native/TensorFactories.cpp): a line of numbers that is changed in place. A periodic one is
 * made with one element more, which a view leaves out.
 */
final class Windows {
    private Windows() {}

    static void register(Registry r) {
        for (String name : new String[] {"hann", "hamming", "bartlett", "blackman", "kaiser"}) {
            r.single("aten." + name + "_window", c -> window(new Body(c.runtime(), r), c, name));
        }
    }

    private static Tensor window(Body b, Call c, String name) {
        EagerRuntime rt = c.runtime();
        DType type = c.type("dtype", DType.FLOAT32);
        long length = c.integer("window_length");
        if (length <= 1 || c.node().goesToHost()) {
            return c.empty(type, length);
        }
        boolean periodic = c.flag("periodic", true);
        long n = periodic ? length + 1 : length;
        Tensor line = b.let(b.made(rt.empty(type, n)));
        Tensor window =
                switch (name) {
                    case "blackman" -> b.assign(line, cosines(b, line));
                    // kaiser_window_stub writes what it computes from the line elsewhere.
                    case "kaiser" -> b.let(b.made(rt.empty(type, n)));
                    default -> line;
                };
        return b.give(periodic ? b.call("slice.Tensor", window, 0, 0, length) : window);
    }

    /** {@code window.mul(4).cos_().mul_(0.08) - window.mul(2).cos_().mul_(0.5) + 0.42}. */
    private static Tensor cosines(Body b, Tensor line) {
        Tensor twice = b.op(line);
        Tensor once = b.op(line);
        return b.op(b.op(twice, once));
    }
}
