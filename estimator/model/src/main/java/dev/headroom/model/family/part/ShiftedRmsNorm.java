package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** The norm of Gemma: its weight counts from 1, and all is computed in float32. */
public final class ShiftedRmsNorm extends Layer {
    private final String type;
    private final double eps;

    /** @param type class name */
    public ShiftedRmsNorm(String type, long width, double eps) {
        this.type = type;
        this.eps = eps;
        parameter("weight", width);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("out = self._norm(x.float())");
        Value wide = s.op("aten.to.dtype", "self", in[0], "dtype", DType.FLOAT32);
        Value squared = s.op("aten.pow.Tensor_Scalar", "self", wide, "exponent", 2);
        Value variance = s.op("aten.mean.dim", "self", squared, "dim", new long[] {-1}, "keepdim", true);
        Value shifted = s.op("aten.add.Tensor", "self", variance, "other", eps);
        Value root = s.op("aten.rsqrt.default", "self", shifted);
        Value out = s.op("aten.mul.Tensor", "self", wide, "other", root);
        s.line("out = out * (1.0 + self.weight.float())");
        Value weight = s.op("aten.to.dtype", "self", s.parameter("weight"), "dtype", DType.FLOAT32);
        Value factor = s.op("aten.add.Tensor", "self", weight, "other", 1.0);
        out = s.op("aten.mul.Tensor", "self", out, "other", factor);
        s.line("return out.type_as(x)");
        return s.op("aten.to.dtype", "self", out, "dtype", new Argument.TypeOf(in[0].name()));
    }
}
