package dev.headroom.executor.op;

import dev.headroom.executor.tensor.Layout;
import java.util.Arrays;

/** {@code aten.view} and its like. */
final class ViewOperators {
    private ViewOperators() {}

    static void register(Operators o) {
        o.add1("aten.view", (e, a) -> Views.view(e, a.tensor("self"), a.integers("size")));
        o.add1("aten.reshape", (e, a) -> Views.reshape(e, a.tensor("self"), a.integers("shape")));
        o.add1(
                "aten.transpose",
                (e, a) -> Views.transpose(e, a.tensor("self"), a.integer("dim0", 0), a.integer("dim1", 1)));
        o.add1("aten.t", (e, a) -> Views.t(e, a.tensor("self")));
        o.add1("aten.expand", (e, a) -> Views.expand(e, a.tensor("self"), a.integers("size")));
        o.add1("aten.unsqueeze", (e, a) -> Views.unsqueeze(e, a.tensor("self"), a.integer("dim", 0)));
        o.add1("aten.squeeze", (e, a) -> Views.squeeze(e, a.tensor("self"), a.integer("dim", 0)));
        o.add1("aten.flatten", (e, a) -> {
            var t = a.tensor("self");
            int from = Layout.dimension(a.integer("start_dim", 0), t.dims());
            int to = Layout.dimension(a.integer("end_dim", -1), t.dims());
            return from == to && t.dims() > 0 ? t : Views.reshape(e, t, flattened(t.sizes(), from, to));
        });
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
