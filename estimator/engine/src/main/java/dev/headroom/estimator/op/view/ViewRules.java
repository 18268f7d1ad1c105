package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Parts;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;

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
                        c.runtime(),
                        c.tensor("self"),
                        ViewCalls.reversed(c.tensor("self").dim())));
        r.single("aten.mT", c -> Views.transpose(c.runtime(), c.tensor("self"), -2, -1));
        r.single("aten.permute", c -> Views.permute(c.runtime(), c.tensor("self"), c.integers("dims")));
        r.single("aten.movedim", ViewCalls::movedim);
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
                boolean same = java.util.Arrays.equals(in[i].sizes(), sizes);
                out[i] = same ? in[i] : Views.expand(c.runtime(), in[i], sizes);
            }
            return out;
        });
        r.single("aten.slice", ViewCalls::slice);
        r.single("aten.narrow", c -> {
            long start = c.integer("start");
            return Views.slice(c.runtime(), c.tensor("self"), c.integer("dim"), start, start + c.integer("length"), 1);
        });
        r.single("aten.select", c -> Views.select(c.runtime(), c.tensor("self"), c.integer("dim"), c.integer("index")));
        r.single("aten.unsqueeze", c -> Views.unsqueeze(c.runtime(), c.tensor("self"), c.integer("dim")));
        r.single("aten.squeeze", ViewCalls::squeeze);
        r.single(
                "aten.flatten",
                c -> Views.flatten(c.runtime(), c.tensor("self"), c.integer("start_dim", 0), c.integer("end_dim", -1)));
        r.single("aten.unflatten", ViewCalls::unflatten);
        r.add("aten.split.Tensor", c -> {
            Tensor t = c.tensor("self");
            long dim = c.integer("dim", 0);
            return Parts.split(c.runtime(), t, dim, Parts.parts(t.size((int) dim), c.integer("split_size")));
        });
        r.add(
                "aten.split.sizes",
                c -> Parts.split(c.runtime(), c.tensor("self"), c.integer("dim", 0), c.integers("split_size")));
        r.add(
                "aten.split_with_sizes",
                c -> Parts.split(c.runtime(), c.tensor("self"), c.integer("dim", 0), c.integers("split_sizes")));
        r.add("aten.chunk", ViewCalls::chunk);
        r.add("aten.unbind", c -> Parts.unbind(c.runtime(), c.tensor("self"), c.integer("dim", 0)));
        r.single("aten.alias", c -> Views.alias(c.runtime(), c.tensor("self")));
        r.single("aten.detach.default", c -> c.runtime().detach(c.tensor("self")));
        r.single("aten.detach_.default", c -> c.tensor("self"));
        // torch.tensor(...) on the GPU: a constant of the program is copied there.
        r.single(
                "aten.lift_fresh_copy",
                c -> c.node().goesToHost() ? c.tensor("self") : c.runtime().emptyLike(c.tensor("self")));
        r.single("aten.alias_copy", c -> Copies.clone(c.runtime(), c.tensor("self")));
    }
}
