package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** {@code Llama4TextRMSNorm}, and {@code Llama4TextL2Norm}, which has no weight. */
final class Norm extends Layer {
    private final double eps;
    private final boolean weighted;

    private Norm(double eps, boolean weighted) {
        this.eps = eps;
        this.weighted = weighted;
    }

    /** With a weight. */
    static Norm rms(long width, double eps) {
        Norm norm = new Norm(eps, true);
        norm.parameter("weight", width);
        return norm;
    }

    /** Without. */
    static Norm length(double eps) {
        return new Norm(eps, false);
    }

    @Override
    protected String type() {
        return Llama4.CLASS + (weighted ? "TextRMSNorm" : "TextL2Norm");
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line(weighted ? "output = self._norm(x.float()).type_as(x)" : "return self._norm(x.float()).type_as(x)");
        Value wide = s.op("aten.to.dtype", "self", in[0], "dtype", DType.FLOAT32);
        Value normed = s.function("_norm", () -> normed(s, wide));
        Value out = s.op("aten.to.dtype", "self", normed, "dtype", new Argument.TypeOf(in[0].name()));
        if (!weighted) {
            return out;
        }
        s.line("return output * self.weight");
        return s.op("aten.mul.Tensor", "self", out, "other", s.parameter("weight"));
    }

    private Value normed(Scope s, Value x) {
        s.line("return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)");
        Value squared = s.op("aten.pow.Tensor_Scalar", "self", x, "exponent", 2);
        Value variance = s.op("aten.mean.dim", "self", squared, "dim", new long[] {-1}, "keepdim", true);
        Value shifted = s.op("aten.add.Tensor", "self", variance, "other", eps);
        Value root = s.op("aten.rsqrt.default", "self", shifted);
        return s.op("aten.mul.Tensor", "self", x, "other", root);
    }
}
