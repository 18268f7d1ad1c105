package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * {@code torch.gradient}: differences along dimensions, those at the ends of one side alone (ATen/native/ReduceOps.cpp,
 * gradient_helper_float and gradient_helper). Operands of an expression are evaluated from the right, as GCC does.
 */
final class Gradients {
    private Gradients() {}

    static void register(Registry r) {
        r.add("aten.gradient", c -> run(new Body(c.runtime(), r), c));
    }

    private static Tensor[] run(Body b, Call c) {
        Tensor x = c.tensor("self");
        long order = c.integer("edge_order", 1);
        long[] dims = c.integersOrNull("dim");
        boolean places = c.node().target().contains("tensorarray");
        Tensor[] spacing = places ? c.tensors("spacing") : new Tensor[0];
        if (places && order != 1) {
            throw new NoRule("torch.gradient over given places with an edge_order of two");
        }
        int n = dims == null ? x.dim() : dims.length;
        List<Tensor> out = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int dim = Shapes.wrap(dims == null ? i : dims[i], x.dim());
            Body inner = b.another();
            out.add(places ? betweenPlaces(inner, x, spacing[i], dim) : evenly(inner, x, dim, order));
        }
        return out.toArray(Tensor[]::new);
    }

    private static Tensor slice(Body b, Tensor x, int dim, long from, long to) {
        long size = x.size(dim);
        long end = to <= 0 ? size + to : to;
        return b.call("slice.Tensor", x, dim, from < 0 ? size + from : from, end);
    }

    private static Tensor difference(Body b, Tensor x, int dim, long from, long to, long shift) {
        Tensor low = slice(b, x, dim, from - shift, to - shift);
        return b.call("sub.Tensor", slice(b, x, dim, from, to), low);
    }

    private static Tensor evenly(Body b, Tensor x, int dim, long order) {
        long size = x.size(dim);
        Tensor center = b.let(b.call("div.Scalar", difference(b, x, dim, 2, size, 2), 2));
        Tensor before =
                b.let(order == 1 ? b.call("div.Scalar", difference(b, x, dim, 1, 2, 1), 1.0) : end(b, x, dim, 0));
        Tensor after = b.let(
                order == 1
                        ? b.call("div.Scalar", difference(b, x, dim, size - 1, size, 1), 1.0)
                        : end(b, x, dim, size - 3));
        Tensor scaled = b.call("div.Scalar", center, 1.0);
        Tensor out = b.let(b.call("cat", (Object) new Tensor[] {before, scaled, after}, dim));
        b.drop(center);
        b.drop(after);
        b.drop(before);
        return b.give(out);
    }

    /** A difference of the second order from three elements: at the beginning a sum comes first, at the end last. */
    private static Tensor end(Body b, Tensor x, int dim, long from) {
        Tensor third = b.call("mul.Scalar", slice(b, x, dim, from + 2, from + 3), 0.5);
        Tensor second = b.call("mul.Scalar", slice(b, x, dim, from + 1, from + 2), 2);
        Tensor first = b.call("mul.Scalar", slice(b, x, dim, from, from + 1), -1.5);
        Tensor sum = from == 0
                ? b.call("sub.Tensor", b.call("add.Tensor", first, second), third)
                : b.call("add.Tensor", b.call("sub.Tensor", first, second), third);
        return b.call("div.Scalar", sum, 1.0);
    }

    private static Tensor betweenPlaces(Body b, Tensor x, Tensor places, int dim) {
        long size = x.size(dim);
        List<Tensor> locals = new ArrayList<>();
        Tensor steps = b.let(difference(b, places, 0, 1, places.size(0), 1));
        Tensor left = b.let(slice(b, steps, 0, 0, -1));
        Tensor right = b.let(slice(b, steps, 0, 1, steps.size(0)));
        Tensor below = b.call("mul.Tensor", left, b.call("add.Tensor", left, right));
        Tensor first = b.let(b.call("div.Tensor", b.call("neg", right), below));
        Tensor product = b.call("mul.Tensor", left, right);
        Tensor second = b.let(b.call("div.Tensor", b.call("sub.Tensor", right, left), product));
        Tensor above = b.call("mul.Tensor", right, b.call("add.Tensor", left, right));
        Tensor third = b.let(b.call("div.Tensor", left, above));
        Collections.addAll(locals, third, second, first, right, left, steps);
        long[] shape = new long[x.dim()];
        Arrays.fill(shape, 1);
        shape[dim] = -1;
        Tensor c = b.call("mul.Tensor", b.call("view", third, shape), slice(b, x, dim, 2, size));
        Tensor d = b.call("mul.Tensor", b.call("view", second, shape), slice(b, x, dim, 1, -1));
        Tensor e = b.call("mul.Tensor", b.call("view", first, shape), slice(b, x, dim, 0, -2));
        Tensor center = b.let(b.call("add.Tensor", b.call("add.Tensor", e, d), c));
        Tensor before = b.let(b.call("div.Tensor", difference(b, x, dim, 1, 2, 1), b.call("select.int", steps, 0, 0)));
        Tensor after = b.let(
                b.call("div.Tensor", difference(b, x, dim, size - 1, size, 1), b.call("select.int", steps, 0, -1)));
        Tensor out = b.let(b.call("cat", (Object) new Tensor[] {before, center, after}, dim));
        b.drop(center);
        locals.forEach(b::drop);
        b.drop(after);
        b.drop(before);
        return b.give(out);
    }
}
