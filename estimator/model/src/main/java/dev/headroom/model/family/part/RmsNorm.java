package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** The root mean square norm of Llama and its kin: computed in float32, scaled in the input's own type. */
public final class RmsNorm extends Layer {
    private final String type;
    private final double eps;
    private final boolean wide;

    /** @param type class name */
    public RmsNorm(String type, long width, double eps) {
        this(type, width, eps, false);
    }

    /** @param wide whether the weight is applied in float32, before the input's own type is restored */
    public RmsNorm(String type, long width, double eps, boolean wide) {
        this.type = type;
        this.eps = eps;
        this.wide = wide;
        parameter("weight", width);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = x.to(torch.float32)");
        Value x = s.op("aten.to.dtype", "self", in[0], "dtype", DType.FLOAT32);
        s.line("variance = x.pow(2).mean(-1, keepdim=True)");
        Value squared = s.op("aten.pow.Tensor_Scalar", "self", x, "exponent", 2);
        Value variance = s.op("aten.mean.dim", "self", squared, "dim", new long[] {-1}, "keepdim", true);
        s.line("x = x * torch.rsqrt(variance + self.eps)");
        Value shifted = s.op("aten.add.Tensor", "self", variance, "other", eps);
        Value root = s.op("aten.rsqrt.default", "self", shifted);
        x = s.op("aten.mul.Tensor", "self", x, "other", root);
        Argument like = new Argument.TypeOf(in[0].name());
        if (wide) {
            s.line("return (self.weight * x).to(input_dtype)");
            Value weighed = s.op("aten.mul.Tensor", "self", s.parameter("weight"), "other", x);
            return s.op("aten.to.dtype", "self", weighed, "dtype", like);
        }
        s.line("return self.weight * x.to(input_dtype)");
        Value scaled = s.op("aten.to.dtype", "self", x, "dtype", like);
        return s.op("aten.mul.Tensor", "self", s.parameter("weight"), "other", scaled);
    }
}
