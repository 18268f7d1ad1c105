package dev.headroom.executor.op.matrix;

import dev.headroom.executor.op.registry.Operators;

/** {@code aten.linear}, {@code aten.matmul} and their like. */
public final class MatrixOperators {
    private MatrixOperators() {}

    public static void register(Operators o) {
        o.add1("aten.bilinear", Bilinear::apply);
        o.add1("aten.linear", (e, a) -> Matmul.linear(e, a.tensor("input"), a.tensor("weight"), a.optional("bias")));
        o.add1("aten.matmul", (e, a) -> Matmul.matmul(e, a.tensor("self"), a.tensor("other")));
        o.add1("aten.mm", (e, a) -> Products.mm(e, a.tensor("self"), a.tensor("mat2")));
        o.add1("aten.bmm", (e, a) -> Products.bmm(e, a.tensor("self"), a.tensor("mat2")));
        FurtherProducts.register(o);
        o.add1("aten.mv", (e, a) -> Products.mv(e, a.tensor("self"), a.tensor("vec")));
        o.add1("aten.dot", (e, a) -> Products.dot(e, "DotBackward0", a.tensor("self"), a.tensor("tensor")));
        // Of real numbers, which are their own conjugates. Gradients come in the order of the names: other, self.
        o.add1("aten.vdot", (e, a) -> Products.dot(e, "VdotBackward0", a.tensor("other"), a.tensor("self")));
        o.add1(
                "aten.addmm",
                (e, a) -> Products.addmm(
                        e,
                        a.tensor("self"),
                        a.tensor("mat1"),
                        a.tensor("mat2"),
                        a.real("beta", 1),
                        a.real("alpha", 1)));
        o.add1(
                "aten.baddbmm",
                (e, a) -> Products.baddbmm(
                        e,
                        a.tensor("self"),
                        a.tensor("batch1"),
                        a.tensor("batch2"),
                        a.real("beta", 1),
                        a.real("alpha", 1)));
    }
}
