package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import java.util.stream.LongStream;

/** What operators of NumPy's kind make: see {@link ShapeRules}. */
final class NumpyShapes {
    private NumpyShapes() {}

    static Tensor real(Tensor view) {
        if (view.dtype().isComplex()) {
            throw new NoRule("conjugated views");
        }
        return view;
    }

    interface Shaped {
        Tensor of(EagerRuntime rt, Tensor t);
    }

    static Tensor[] map(Call c, Shaped shape) {
        return Arrays.stream(c.has("tensors") ? c.tensors("tensors") : new Tensor[] {c.tensor("self")})
                .map(t -> shape.of(c.runtime(), t))
                .toArray(Tensor[]::new);
    }

    static Tensor plane(EagerRuntime rt, Tensor t) {
        return t.dim() == 0 ? Views.reshape(rt, t, 1, 1) : t.dim() == 1 ? Views.unsqueeze(rt, t, 0) : t;
    }

    static Tensor solid(EagerRuntime rt, Tensor t) {
        return switch (t.dim()) {
            case 0 -> Views.reshape(rt, t, 1, 1, 1);
            case 1 -> Views.unsqueeze(rt, Views.unsqueeze(rt, t, 0), -1);
            case 2 -> Views.unsqueeze(rt, t, -1);
            default -> t;
        };
    }

    /** {@code block_diag}: zeros into which the matrices are copied; gradients are parts of the one that came in. */
    static Tensor blocks(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor[] in = c.tensors("tensors");
        long rows = 0;
        long columns = 0;
        for (Tensor t : in) {
            if (t.dim() < 2) {
                throw new NoRule("block_diag of vectors");
            }
            rows += t.size(0);
            columns += t.size(1);
        }
        Recorder r = rt.record("BlockDiagBackward0", in);
        Tensor out = rt.empty(in[0].dtype(), rows, columns);
        long[][] sizes = Arrays.stream(in).map(Tensor::sizes).toArray(long[][]::new);
        return r.gradients(grads -> {
                    Tensor[] all = new Tensor[sizes.length];
                    long row = 0;
                    long column = 0;
                    for (int i = 0; i < all.length && grads[0] != null; i++) {
                        Tensor part = Views.slice(rt, grads[0], 0, row, row + sizes[i][0], 1);
                        all[i] = Views.slice(rt, part, 1, column, column + sizes[i][1], 1);
                        row += sizes[i][0];
                        column += sizes[i][1];
                    }
                    return all;
                })
                .output(out);
    }

    static Tensor product(Body b, Tensor[] in) {
        if (in.length == 1) {
            return in[0];
        }
        Tensor[] flat = b.all("meshgrid.indexing", in, "ij");
        for (int i = 0; i < flat.length; i++) {
            flat[i] = b.call("flatten.using_ints", flat[i], 0, -1);
        }
        return b.give(b.call("stack", b.listed(flat), 1));
    }

    /** A copy with a part replaced; the part's gradient is a view, the rest's a copy with zeros there. */
    static Tensor scattered(Call c, String part) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor source = c.tensor("src");
        String node = Character.toUpperCase(part.charAt(0)) + part.substring(1) + "ScatterBackward0";
        Recorder r = rt.record(node, x, source);
        Tensor out = rt.emptyLike(x);
        long[] sizes = source.sizes();
        return r.gradient(0, g -> {
                    Tensor zeros = Creation.zeros(rt, g.dtype(), sizes);
                    Tensor copy = rt.emptyLike(g);
                    rt.free(zeros);
                    return copy;
                })
                .gradient(1, g -> part(c, part, g))
                .output(out);
    }

    static Tensor part(Call c, String part, Tensor g) {
        EagerRuntime rt = c.runtime();
        return switch (part) {
            case "diagonal" ->
                StridedViews.diagonal(
                        rt,
                        g,
                        c.integer("offset", 0),
                        Shapes.wrap(c.integer("dim1", 0), g.dim()),
                        Shapes.wrap(c.integer("dim2", 1), g.dim()));
            case "select" -> Views.select(rt, g, c.integer("dim"), c.integer("index"));
            default ->
                Views.slice(
                        rt,
                        g,
                        c.integer("dim", 0),
                        c.integer("start", 0),
                        c.integer("end", Long.MAX_VALUE),
                        c.integer("step", 1));
        };
    }

    static Tensor shifted(Registry r, Call c) {
        Tensor t = c.tensor("self");
        long[] dims =
                c.has("dim") ? c.integers("dim") : LongStream.range(0, t.dim()).toArray();
        long[] shifts = Arrays.stream(dims).map(d -> t.size((int) d) / 2).toArray();
        Body b = new Body(c.runtime(), r);
        return b.give(b.call("roll", t, shifts, dims));
    }

    static Tensor triangle(Call c, boolean lower) {
        long rows = c.integer("row");
        long columns = c.integer("col");
        long shift = c.integer("offset", 0);
        long n = 0;
        for (long i = 0; i < rows; i++) {
            long below = Math.min(Math.max(i + shift + 1, 0), columns);
            n += lower ? below : columns - Math.min(Math.max(i + shift, 0), columns);
        }
        return c.empty(c.type("dtype", DType.INT64), 2, n);
    }
}
