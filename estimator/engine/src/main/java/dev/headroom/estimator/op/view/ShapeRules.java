package dev.headroom.estimator.op.view;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Shapes of NumPy's kind: more dimensions, parts, blocks, products of sets (ATen/native/TensorShape.cpp). */
public final class ShapeRules {
    private ShapeRules() {}

    public static void register(Registry r) {
        for (String name : new String[] {"matrix_H", "mH", "adjoint"}) {
            r.single("aten." + name, c -> NumpyShapes.real(Views.transpose(c.runtime(), c.tensor("self"), -2, -1)));
        }
        for (String name : new String[] {"moveaxis.int", "moveaxis.intlist"}) {
            r.alias("aten." + name, "aten.movedim");
        }
        each(r, "atleast_1d", (rt, t) -> t.dim() == 0 ? Views.reshape(rt, t, 1) : t);
        each(r, "atleast_2d", NumpyShapes::plane);
        each(r, "atleast_3d", NumpyShapes::solid);
        parts(r, "hsplit", t -> t.dim() == 1 ? 0 : 1);
        parts(r, "vsplit", t -> 0);
        parts(r, "dsplit", t -> 2);
        r.single("aten.dstack", c -> {
            Body b = new Body(c.runtime(), r);
            return b.give(b.call("cat", b.listed(NumpyShapes.map(c, NumpyShapes::solid)), 2));
        });
        r.alias("aten.row_stack", "aten.vstack");
        r.alias("aten.concatenate", "aten.cat");
        r.single("aten.unsqueeze_", c -> Views.unsqueeze(c.runtime(), c.tensor("self"), c.integer("dim")));
        r.single("aten.block_diag", NumpyShapes::blocks);
        r.single("aten.cartesian_prod", c -> NumpyShapes.product(new Body(c.runtime(), r), c.tensors("tensors")));
        r.single("aten.diagflat", c -> {
            Body b = new Body(c.runtime(), r);
            Tensor flat = b.call("reshape", c.tensor("self"), new long[] {-1});
            return b.give(b.call("diag", flat, c.integer("offset", 0)));
        });
        for (String name : new String[] {"diagonal", "select", "slice"}) {
            r.single("aten." + name + "_scatter", c -> NumpyShapes.scattered(c, name));
        }
        r.single("aten.fft_fftshift", c -> NumpyShapes.shifted(r, c));
        r.single("aten.fft_ifftshift", c -> NumpyShapes.shifted(r, c));
        for (String name : new String[] {"tril_indices", "triu_indices"}) {
            r.single("aten." + name, c -> NumpyShapes.triangle(c, name.startsWith("tril")));
        }
    }

    private static void each(Registry r, String name, NumpyShapes.Shaped shape) {
        r.add("aten." + name, c -> NumpyShapes.map(c, shape));
    }

    private interface Dimension {
        int of(Tensor t);
    }

    private static void parts(Registry r, String name, Dimension dimension) {
        r.add("aten." + name, c -> {
            Body b = new Body(c.runtime(), r);
            Tensor t = c.tensor("self");
            Tensor[] out = c.has("indices")
                    ? b.all("tensor_split.indices", t, c.integers("indices"), dimension.of(t))
                    : b.all("tensor_split.sections", t, c.integer("sections"), dimension.of(t));
            b.giveAll(out);
            return out;
        });
    }
}
