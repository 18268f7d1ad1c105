package dev.headroom.executor.op;

import dev.headroom.executor.tensor.Eager;
import dev.headroom.executor.tensor.Tensor;

/** {@code aten.linear}, {@code aten.mm} and their like. */
final class MatrixOperators {
    private MatrixOperators() {}

    static void register(Operators o) {
        o.add1("aten.mm", (e, a) -> Products.mm(e, a.tensor("self"), a.tensor("mat2")));
        o.add1("aten.addmm", (e, a) -> Products.addmm(e, a.tensor("self"), a.tensor("mat1"), a.tensor("mat2")));
        o.add1("aten.linear", (e, a) -> linear(e, a.tensor("input"), a.tensor("weight"), a.optional("bias")));
    }

    /** {@code linear} (aten/src/ATen/native/Linear.cpp). */
    static Tensor linear(Eager e, Tensor x, Tensor weight, Tensor bias) {
        Tensor turned = Views.t(e, weight);
        if (bias != null && x.dims() == 2) {
            return Products.addmm(e, bias, x, turned);
        }
        return Products.mm(e, x, turned);
    }
}
