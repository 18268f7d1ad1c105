package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;

/** Operators that only look at memory in another way. */
public final class ViewRules {
    private ViewRules() {}

    public static void register(Registry r) {
        r.single("aten.view.default", c -> Views.view(c.runtime(), c.tensor("self"), c.integers("size")));
        r.single("aten._unsafe_view", c -> Views.unsafeView(c.runtime(), c.tensor("self"), c.integers("size")));
        r.single("aten.reshape", c -> Views.reshape(c.runtime(), c.tensor("self"), c.integers("shape")));
        r.single(
                "aten.view_as",
                c -> Views.view(c.runtime(), c.tensor("self"), c.tensor("other").sizes()));
        r.single(
                "aten.reshape_as",
                c -> Views.reshape(
                        c.runtime(), c.tensor("self"), c.tensor("other").sizes()));
        r.single(
                "aten.transpose",
                c -> Views.transpose(c.runtime(), c.tensor("self"), c.integer("dim0"), c.integer("dim1")));
        for (String name : new String[] {"aten.swapaxes", "aten.swapdims"}) {
            String axis = name.endsWith("axes") ? "axis" : "dim";
            r.single(
                    name,
                    c -> Views.transpose(c.runtime(), c.tensor("self"), c.integer(axis + "0"), c.integer(axis + "1")));
        }
        r.single("aten.t", c -> Views.t(c.runtime(), c.tensor("self")));
        r.single(
                "aten.numpy_T",
                c -> Views.permute(
                        c.runtime(), c.tensor("self"), reversed(c.tensor("self").dim())));
        r.single("aten.mT", c -> Views.transpose(c.runtime(), c.tensor("self"), -2, -1));
        r.single("aten.permute", c -> Views.permute(c.runtime(), c.tensor("self"), c.integers("dims")));
        r.single("aten.movedim", ViewRules::movedim);
        r.single("aten.expand", c -> Views.expand(c.runtime(), c.tensor("self"), c.integers("size")));
        r.single(
                "aten.expand_as",
                c -> Views.expand(
                        c.runtime(), c.tensor("self"), c.tensor("other").sizes()));
        r.single("aten.broadcast_to", c -> Views.expand(c.runtime(), c.tensor("self"), c.integers("size")));
        r.add("aten.broadcast_tensors", c -> {
            Tensor[] in = c.tensors("tensors");
            long[] sizes = new long[0];
            for (Tensor t : in) {
                sizes = Shapes.broadcast(sizes, t.sizes());
            }
            Tensor[] out = new Tensor[in.length];
            for (int i = 0; i < out.length; i++) {
                out[i] = Views.expand(c.runtime(), in[i], sizes);
            }
            return out;
        });
        r.single("aten.slice", ViewRules::slice);
        r.single("aten.narrow", c -> {
            long start = c.integer("start");
            return Views.slice(c.runtime(), c.tensor("self"), c.integer("dim"), start, start + c.integer("length"), 1);
        });
        r.single("aten.select", c -> Views.select(c.runtime(), c.tensor("self"), c.integer("dim"), c.integer("index")));
        r.single("aten.unsqueeze", c -> Views.unsqueeze(c.runtime(), c.tensor("self"), c.integer("dim")));
        r.single("aten.squeeze", ViewRules::squeeze);
        r.single(
                "aten.flatten",
                c -> Views.flatten(c.runtime(), c.tensor("self"), c.integer("start_dim", 0), c.integer("end_dim", -1)));
        r.single("aten.unflatten", ViewRules::unflatten);
        r.add("aten.split.Tensor", c -> {
            Tensor t = c.tensor("self");
            long dim = c.integer("dim", 0);
            return Views.split(c.runtime(), t, dim, Views.parts(t.size((int) dim), c.integer("split_size")));
        });
        r.add(
                "aten.split.sizes",
                c -> Views.split(c.runtime(), c.tensor("self"), c.integer("dim", 0), c.integers("split_size")));
        r.add(
                "aten.split_with_sizes",
                c -> Views.split(c.runtime(), c.tensor("self"), c.integer("dim", 0), c.integers("split_sizes")));
        r.add("aten.chunk", ViewRules::chunk);
        r.add("aten.unbind", c -> Views.unbind(c.runtime(), c.tensor("self"), c.integer("dim", 0)));
        r.single("aten.alias", c -> Views.alias(c.runtime(), c.tensor("self")));
        r.single("aten.detach.default", c -> c.runtime().detach(c.tensor("self")));
        r.single("aten.detach_.default", c -> c.tensor("self"));
        // torch.tensor(...) on the GPU: a constant of the program is copied there.
        r.single("aten.lift_fresh_copy", c -> c.runtime().emptyLike(c.tensor("self")));
        r.single("aten.alias_copy", c -> Copies.clone(c.runtime(), c.tensor("self")));
    }

    private static long[] reversed(int n) {
        long[] out = new long[n];
        Arrays.setAll(out, i -> n - 1 - i);
        return out;
    }

    private static Tensor movedim(Call c) {
        Tensor t = c.tensor("self");
        long[] source = c.integers("source");
        long[] destination = c.integers("destination");
        long[] perm = new long[t.dim()];
        Arrays.fill(perm, -1);
        boolean[] used = new boolean[t.dim()];
        for (int i = 0; i < source.length; i++) {
            int from = Shapes.wrap(source[i], t.dim());
            perm[Shapes.wrap(destination[i], t.dim())] = from;
            used[from] = true;
        }
        int next = 0;
        for (int i = 0; i < perm.length; i++) {
            if (perm[i] < 0) {
                while (used[next]) {
                    next++;
                }
                perm[i] = next++;
            }
        }
        return Views.permute(c.runtime(), t, perm);
    }

    /**
     * Indexing with {@code :} alone is no operator eagerly; only tracing writes it down (torch/csrc/autograd/
     * python_variable_indexing.cpp; ATen/TensorIndexing.h, applySlice).
     */
    private static Tensor slice(Call c) {
        long start = c.integer("start", 0);
        long end = c.integer("end", Long.MAX_VALUE);
        long step = c.integer("step", 1);
        Tensor t = c.tensor("self");
        if (start == 0 && end == Long.MAX_VALUE && step == 1) {
            return t;
        }
        return Views.slice(c.runtime(), t, c.integer("dim", 0), start, end, step);
    }

    private static Tensor squeeze(Call c) {
        long[] dims = c.integers("dim");
        return Views.squeeze(c.runtime(), c.tensor("self"), dims == null ? new long[0] : dims);
    }

    private static Tensor unflatten(Call c) {
        Tensor t = c.tensor("self");
        int d = Shapes.wrap(c.integer("dim"), t.dim());
        long[] into = Shapes.inferSize(c.integers("sizes"), t.size(d));
        long[] sizes = new long[t.dim() + into.length - 1];
        System.arraycopy(t.sizes(), 0, sizes, 0, d);
        System.arraycopy(into, 0, sizes, d, into.length);
        System.arraycopy(t.sizes(), d + 1, sizes, d + into.length, t.dim() - d - 1);
        return Views.view(c.runtime(), t, sizes);
    }

    private static Tensor[] chunk(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long dim = c.integer("dim", 0);
        long size = t.size((int) dim);
        long part = (size + c.integer("chunks") - 1) / c.integer("chunks");
        return Views.split(rt, t, dim, Views.parts(size, part));
    }
}
