package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/**
 * {@code isin} (aten/src/ATen/native/TensorCompare.cpp, cuda/TensorCompare.cu): few values are compared with every
 * element; many are sorted with the elements, and equal ones then lie side by side.
 */
final class Membership {
    private static final double FACTOR = 10;
    private static final double POWER = 0.145;

    private Membership() {}

    static void register(Operators o) {
        Calls.add(o, "aten.isin", Membership::isIn);
    }

    private static Tensor isIn(Calls c, Arguments a) {
        Eager e = c.e();
        boolean inverted = a.flag("invert", false);
        if (a.has("test_element")) {
            String compared = inverted ? "ne" : "eq";
            Object number = a.isInteger("test_element")
                    ? (Object) a.integer("test_element", 0)
                    : (Object) a.real("test_element", 0);
            return c.call(compared, "self", a.tensor("elements"), "other", number);
        }
        Tensor tests = a.tensor("test_elements");
        Tensor element = null;
        if (a.has("element")) {
            element = e.empty(a.isInteger("element") ? DType.INT64 : DType.FLOAT32);
            Elementwise.fill(e, element, a.real("element", 0));
        }
        Tensor elements = element == null ? a.tensor("elements") : element;
        Tensor out = e.empty(DType.BOOL, elements.sizes());
        if (elements.elements() == 0) {
            return out;
        }
        boolean few = tests.elements() < (long) (FACTOR * (float) Math.pow((double) elements.elements(), POWER));
        try (var scope = e.open()) {
            if (few) {
                compare(c, elements, tests, inverted, out);
            } else if (a.flag("assume_unique", false)) {
                sort(c, elements, tests, inverted, out);
            } else {
                throw new UserInputException("isin of many values, of which it looks for those that differ, is not"
                        + " supported by the executor; pass assume_unique=True where they do");
            }
        }
        return out;
    }

    private static void compare(Calls c, Tensor elements, Tensor tests, boolean inverted, Tensor out) {
        Tensor wide = c.call("unsqueeze", "self", elements, "dim", -1);
        Tensor line = c.call("reshape", "self", tests, "shape", new long[] {-1});
        Tensor equal = c.call(inverted ? "ne" : "eq", "self", wide, "other", line);
        Tensor found = c.call(inverted ? "all" : "any", "self", equal, "dim", -1);
        Copies.fill(c.e(), out, found);
    }

    private static void sort(Calls c, Tensor elements, Tensor tests, boolean inverted, Tensor out) {
        Eager e = c.e();
        DType common = Promotion.common(elements, tests);
        Tensor all = joined(c, elements, tests, common);
        long n = all.elements();
        Tensor[] sorted = c.several("sort", "self", all, "dim", 0);
        Tensor twice = e.empty(DType.BOOL, n);
        try (var s = e.open()) {
            Tensor low = part(e, sorted[0], 0, n - 1);
            Tensor high = part(e, sorted[0], 1, n - 1);
            Tensor equal = c.call(inverted ? "ne" : "eq", "self", low, "other", high);
            Copies.fill(e, part(e, twice, 0, n - 1), equal);
            Elementwise.fill(e, part(e, twice, n - 1, 1), inverted ? 1 : 0);
        }
        Tensor mask = e.empty(DType.BOOL, n);
        try (var s = e.open()) {
            c.call("index_copy_", "self", mask, "dim", 0, "index", sorted[1], "source", twice);
            Tensor line = e.alias(out, new long[] {out.elements()}, new long[] {1}, out.offset());
            Copies.fill(e, line, part(e, mask, 0, out.elements()));
        }
        e.free(mask);
        e.free(twice);
        e.free(sorted[0]);
        e.free(sorted[1]);
    }

    private static Tensor joined(Calls c, Tensor elements, Tensor tests, DType common) {
        Eager e = c.e();
        return e.call(() -> {
            Tensor first = c.call("reshape", "self", elements, "shape", new long[] {-1});
            Tensor second = c.call("reshape", "self", tests, "shape", new long[] {-1});
            Tensor all = e.empty(common, first.elements() + second.elements());
            Copies.fill(e, part(e, all, 0, first.elements()), first);
            Copies.fill(e, part(e, all, first.elements(), second.elements()), second);
            return all;
        });
    }

    private static Tensor part(Eager e, Tensor line, long from, long length) {
        return e.alias(line, new long[] {length}, new long[] {line.stride(0)}, line.offset() + from * line.stride(0));
    }
}
