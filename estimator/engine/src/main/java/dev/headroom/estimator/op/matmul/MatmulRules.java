package dev.headroom.estimator.op.matmul;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Operators that end in cuBLAS. */
public final class MatmulRules {
    private MatmulRules() {}

    public static void register(Registry r) {
        r.single("aten.mm", c -> Matmul.mm(c.runtime(), c.tensor("self"), c.tensor("mat2")));
        r.single(
                "aten.addmm",
                c -> Matmul.addmm(
                        c.runtime(),
                        c.tensor("self"),
                        c.tensor("mat1"),
                        c.tensor("mat2"),
                        c.number("alpha", 1) != 1,
                        c.number("beta", 1) != 1));
        r.single("aten._grouped_mm", GroupedMatmul::run);
        r.single("transformers.grouped_mm_fallback", GroupedMatmul::ofLibrary);
        r.single("aten.bmm", c -> Matmul.bmm(c.runtime(), null, c.tensor("self"), c.tensor("mat2")));
        r.single(
                "aten.baddbmm",
                c -> Matmul.bmm(
                        c.runtime(),
                        c.tensor("self"),
                        c.tensor("batch1"),
                        c.tensor("batch2"),
                        c.number("alpha", 1) != 1,
                        c.number("beta", 1) != 1));
        r.single("aten.vdot", c -> Matmul.dot(c.runtime(), "VdotBackward0", c.tensor("other"), c.tensor("self")));
        for (String name : new String[] {"outer", "ger"}) {
            r.single("aten." + name, c -> {
                Tensor column = Views.unsqueeze(c.runtime(), c.tensor("self"), 1);
                return Pointwise.mul(c.runtime(), column, c.tensor("vec2"));
            });
        }
        r.single("aten.addbmm", MoreProducts::addbmm);
        r.single("aten.addmv", MoreProducts::addmv);
        r.single("aten.addr", MoreProducts::addr);
        r.single("aten.kron", MoreProducts::kron);
        r.single("aten.tensordot", c -> MoreProducts.tensordot(c, new Body(c.runtime(), r)));
        r.single("aten.bilinear", MoreProducts::bilinear);
        r.single("aten.linalg_cross", MoreProducts::cross);
        r.single("aten.cross", MoreProducts::cross);
        r.single("aten.einsum", Einsum::run);
        r.single("aten.mv", c -> Matmul.mv(c.runtime(), c.tensor("self"), c.tensor("vec")));
        r.single("aten.dot", c -> Matmul.dot(c.runtime(), "DotBackward0", c.tensor("self"), c.tensor("tensor")));
        r.single("aten.matmul", c -> Matmul.matmul(c.runtime(), c.tensor("self"), c.tensor("other")));
        r.single(
                "aten.linear",
                c -> c.runtime().options().zeroLinear()
                        ? ZeroLinear.run(c)
                        : Matmul.linear(c.runtime(), c.tensor("input"), c.tensor("weight"), c.tensorOrNull("bias")));
    }
}
