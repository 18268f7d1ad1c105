package dev.headroom.executor.op.shape;

import dev.headroom.executor.op.basic.Dimensions;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Layout;
import java.util.Arrays;

/** {@code aten.view} and its like. */
public final class ViewOperators {
    private ViewOperators() {}

    public static void register(Operators o) {
        o.add1("aten.view", (e, a) -> Views.view(e, a.tensor("self"), a.integers("size")));
        o.add1("aten.reshape", (e, a) -> Views.reshape(e, a.tensor("self"), a.integers("shape")));
        o.add1(
                "aten.transpose",
                (e, a) -> Views.transpose(e, a.tensor("self"), a.integer("dim0", 0), a.integer("dim1", 1)));
        o.add1("aten.t", (e, a) -> Views.t(e, a.tensor("self")));
        o.add1("aten.expand", (e, a) -> Views.expand(e, a.tensor("self"), a.integers("size")));
        o.add1("aten.unsqueeze", (e, a) -> Views.unsqueeze(e, a.tensor("self"), a.integer("dim", 0)));
        o.add1("aten.squeeze", (e, a) -> {
            long[] dims = a.integers("dim");
            return dims.length == 1
                    ? Views.squeeze(e, a.tensor("self"), dims[0])
                    : Dimensions.squeeze(e, a.tensor("self"), dims);
        });
        registerOrders(o);
        registerParts(o);
        o.add1("aten.flatten", (e, a) -> {
            var t = a.tensor("self");
            int from = Layout.dimension(a.integer("start_dim", 0), t.dims());
            int to = Layout.dimension(a.integer("end_dim", -1), t.dims());
            return from == to && t.dims() > 0 ? t : Views.reshape(e, t, flattened(t.sizes(), from, to));
        });
    }

    private static void registerOrders(Operators o) {
        o.add1("aten.permute", (e, a) -> Dimensions.permute(e, a.tensor("self"), a.integers("dims")));
        o.add1(
                "aten.movedim",
                (e, a) -> Dimensions.move(e, a.tensor("self"), a.integers("source"), a.integers("destination")));
        o.add1(
                "aten.unflatten",
                (e, a) -> Dimensions.unflatten(e, a.tensor("self"), a.integer("dim", 0), a.integers("sizes")));
        o.add1(
                "aten.expand_as",
                (e, a) -> Views.expand(e, a.tensor("self"), a.tensor("other").sizes()));
        o.add1(
                "aten.view_as",
                (e, a) -> Views.view(e, a.tensor("self"), a.tensor("other").sizes()));
        o.add1("aten._unsafe_view", (e, a) -> Views.unsafeView(e, a.tensor("self"), a.integers("size")));
    }

    private static void registerParts(Operators o) {
        o.add1(
                "aten.slice",
                (e, a) -> Slices.slice(
                        e,
                        a.tensor("self"),
                        a.integer("dim", 0),
                        a.integer("start", 0),
                        a.integer("end", Long.MAX_VALUE),
                        a.integer("step", 1)));
        o.add1("aten.narrow", (e, a) -> {
            long start = a.integer("start", 0);
            return Slices.slice(e, a.tensor("self"), a.integer("dim", 0), start, start + a.integer("length", 0), 1);
        });
        o.add1("aten.select", (e, a) -> Slices.select(e, a.tensor("self"), a.integer("dim", 0), a.integer("index", 0)));
        o.add(
                "aten.split",
                (e, a) -> Slices.split(e, a.tensor("self"), a.integer("split_size", 1), a.integer("dim", 0)));
        o.add(
                "aten.split_with_sizes",
                (e, a) -> Slices.split(e, a.tensor("self"), a.integers("split_sizes"), a.integer("dim", 0)));
        o.add("aten.chunk", (e, a) -> Slices.chunk(e, a.tensor("self"), a.integer("chunks", 1), a.integer("dim", 0)));
        o.add("aten.unbind", (e, a) -> Slices.unbind(e, a.tensor("self"), a.integer("dim", 0)));
    }

    private static long[] flattened(long[] sizes, int from, int to) {
        if (sizes.length == 0) {
            return new long[] {1};
        }
        long[] out = new long[sizes.length - (to - from)];
        System.arraycopy(sizes, 0, out, 0, from);
        out[from] = Layout.elements(Arrays.copyOfRange(sizes, from, to + 1));
        System.arraycopy(sizes, to + 1, out, from + 1, sizes.length - to - 1);
        return out;
    }
}
