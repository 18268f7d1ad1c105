package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/** {@code fill_diagonal_}: a view of the diagonal, which is filled (aten/src/ATen/native/Fill.cpp). */
final class Fillings {
    private Fillings() {}

    static void register(Operators o) {
        Calls.add(o, "aten.fill_diagonal_", Fillings::diagonal);
    }

    private static Tensor diagonal(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        if (t.dims() < 2) {
            throw new UserInputException(a.node().target() + " needs a tensor of two dimensions or more");
        }
        double value = a.real("fill_value", 0);
        long length = Math.min(t.size(0), t.size(1));
        long step = Arrays.stream(t.strides()).sum();
        fill(c, t, length, step, t.offset(), value);
        if (a.flag("wrap", false) && t.dims() == 2 && t.size(0) > t.size(1) + 1) {
            long width = t.size(1) + 1; // rows from one diagonal's beginning to the next one's
            long rest = (t.elements() + width - 1) / width - length;
            fill(c, t, rest, step, t.offset() + t.stride(0) * width, value);
        }
        return t;
    }

    private static void fill(Calls c, Tensor t, long length, long step, long offset, double value) {
        Tensor line = c.call(
                "as_strided",
                "self",
                t,
                "size",
                new long[] {length},
                "stride",
                new long[] {step},
                "storage_offset",
                offset);
        c.call("fill_", "self", line, "value", value);
        c.e().free(line);
    }
}
