package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;
import java.util.Objects;

/**
 * {@code torch.gradient} over even steps or given places (aten/src/ATen/native/ReduceOps.cpp, gradient_helper_float and
 * gradient_helper): differences of the neighbours on both sides, at the ends of what lies on one.
 */
final class Gradients {
    private Gradients() {}

    static void register(Operators o) {
        o.add("aten.gradient", (e, a) -> run(new Calls(e, o, true), a));
    }

    private static Tensor[] run(Calls c, Arguments a) {
        boolean given = a.node().target().contains("tensorarray");
        Tensor[] places = given ? a.tensors("spacing") : new Tensor[0];
        if (given && a.integer("edge_order", 1) != 1) {
            throw new UserInputException(
                    "torch.gradient over given places with an edge_order of two is not supported by"
                            + " the executor; give the steps as numbers, or an edge_order of one");
        }
        Tensor x = a.tensor("self");
        long[] all = new long[x.dims()];
        Arrays.setAll(all, d -> d);
        long[] dims = a.integers("dim", all);
        double[] several = given ? new double[0] : a.reals("spacing");
        Tensor[] out = new Tensor[dims.length];
        for (int i = 0; i < dims.length; i++) {
            int dim = Layout.dimension(dims[i], x.dims());
            if (given) {
                Tensor at = Objects.requireNonNull(places[i], "places");
                out[i] = Objects.requireNonNull(c.e().call(() -> betweenPlaces(c, x, dim, at)));
                continue;
            }
            double step = several.length > 0 ? several[i] : a.real("spacing", 1);
            boolean second = a.integer("edge_order", 1) == 2;
            out[i] = Objects.requireNonNull(c.e().call(() -> along(c, x, dim, step, second)));
        }
        return out;
    }

    private static Tensor along(Calls c, Tensor x, int dim, double step, boolean second) {
        Eager e = c.e();
        long n = x.size(dim);
        Tensor center = difference(c, x, dim, 2, n, 2, 2);
        Tensor before = second ? end(c, x, dim, 0, step) : difference(c, x, dim, 1, 2, 1, step);
        Tensor after = second ? end(c, x, dim, n - 3, step) : difference(c, x, dim, n - 1, n, 1, step);
        Tensor scaled = c.call("div", "self", center, "other", step);
        Tensor out = c.call("cat", "tensors", new Tensor[] {before, scaled, after}, "dim", dim);
        e.free(scaled);
        e.free(center);
        e.free(after);
        e.free(before);
        return out;
    }

    private static Tensor difference(Calls c, Tensor x, int dim, long from, long to, long shift, double by) {
        return c.e().call(() -> {
            Tensor low = Slices.slice(c.e(), x, dim, from - shift, to - shift, 1);
            Tensor high = Slices.slice(c.e(), x, dim, from, to, 1);
            return c.call("div", "self", c.call("sub", "self", high, "other", low), "other", by);
        });
    }

    /** A difference of the second order from three elements: -1.5, 2 and -0.5 of them, or 0.5, -2 and 1.5. */
    private static Tensor end(Calls c, Tensor x, int dim, long from, double step) {
        boolean begins = from == 0;
        return c.e().call(() -> {
            Tensor third = scaled(c, x, dim, from + 2, begins ? 0.5 : 1.5);
            Tensor middle = scaled(c, x, dim, from + 1, 2);
            Tensor first = scaled(c, x, dim, from, begins ? -1.5 : 0.5);
            Tensor pair = c.call(begins ? "add" : "sub", "self", first, "other", middle);
            return c.call("div", "self", c.call(begins ? "sub" : "add", "self", pair, "other", third), "other", step);
        });
    }

    private static Tensor scaled(Calls c, Tensor x, int dim, long at, double factor) {
        return c.call("mul", "self", Slices.slice(c.e(), x, dim, at, at + 1, 1), "other", factor);
    }

    /** Between places each element has steps of its own to the left and to the right. */
    private static Tensor betweenPlaces(Calls c, Tensor x, int dim, Tensor places) {
        Eager e = c.e();
        long n = x.size(dim);
        long steps = places.size(0) - 1;
        Tensor width = e.call(() -> c.call(
                "sub", "self", Slices.slice(e, places, 0, 1, n, 1), "other", Slices.slice(e, places, 0, 0, steps, 1)));
        Tensor left = Slices.slice(e, width, 0, 0, steps - 1, 1);
        Tensor right = Slices.slice(e, width, 0, 1, steps, 1);
        Tensor first = e.call(() -> {
            Tensor below = c.call("mul", "self", left, "other", c.call("add", "self", left, "other", right));
            return c.call("div", "self", c.call("neg", "self", right), "other", below);
        });
        Tensor second = e.call(() -> {
            Tensor product = c.call("mul", "self", left, "other", right);
            return c.call("div", "self", c.call("sub", "self", right, "other", left), "other", product);
        });
        Tensor third = e.call(() -> {
            Tensor above = c.call("mul", "self", right, "other", c.call("add", "self", left, "other", right));
            return c.call("div", "self", left, "other", above);
        });
        Tensor center = e.call(() -> {
            Tensor after = weighted(c, x, dim, third, 2);
            Tensor own = weighted(c, x, dim, second, 1);
            Tensor before = weighted(c, x, dim, first, 0);
            return c.call("add", "self", c.call("add", "self", before, "other", own), "other", after);
        });
        Tensor before = beside(c, x, dim, 1, width, 0);
        Tensor after = beside(c, x, dim, n - 1, width, steps - 1);
        Tensor out = c.call("cat", "tensors", new Tensor[] {before, center, after}, "dim", dim);
        for (Tensor t : new Tensor[] {center, third, second, first, right, left, width, after, before}) {
            e.free(t);
        }
        return out;
    }

    private static Tensor weighted(Calls c, Tensor x, int dim, Tensor weights, long from) {
        long[] shape = new long[x.dims()];
        Arrays.fill(shape, 1);
        shape[dim] = weights.size(0);
        Tensor part = Slices.slice(c.e(), x, dim, from, from + weights.size(0), 1);
        return c.call("mul", "self", c.call("view", "self", weights, "size", shape), "other", part);
    }

    private static Tensor beside(Calls c, Tensor x, int dim, long at, Tensor width, long step) {
        Eager e = c.e();
        return e.call(() -> {
            Tensor low = Slices.slice(e, x, dim, at - 1, at, 1);
            Tensor difference = c.call("sub", "self", Slices.slice(e, x, dim, at, at + 1, 1), "other", low);
            return c.call("div", "self", difference, "other", Slices.select(e, width, 0, step));
        });
    }
}
