package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** {@code T5LayerNorm}: a root mean square norm whose variance alone is computed in float32. */
final class T5Norm extends Layer {
    T5Norm(T5Shape shape) {
        parameter("weight", shape.width());
    }

    @Override
    protected String type() {
        return T5Shape.CLASS + "LayerNorm";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)");
        Value wide = s.op("aten.to.dtype", "self", in[0], "dtype", DType.FLOAT32);
        Value squared = s.op("aten.pow.Tensor_Scalar", "self", wide, "exponent", 2);
        Value variance = s.op("aten.mean.dim", "self", squared, "dim", new long[] {-1}, "keepdim", true);
        s.line("x = x * torch.rsqrt(variance + self.variance_epsilon)");
        Value shifted = s.op("aten.add.Tensor", "self", variance, "other", 1e-6);
        Value root = s.op("aten.rsqrt.default", "self", shifted);
        Value x = s.op("aten.mul.Tensor", "self", in[0], "other", root);
        Value weight = s.parameter("weight");
        // Weights in half precision alone, which fully_shard may gather, lower it: beside others it is float32 anyway.
        s.line("x = x.to(self.weight.dtype)");
        x = s.op("aten.to.dtype", "self", x, "dtype", new Argument.TypeOf(weight.name()));
        s.line("return self.weight * x");
        return s.op("aten.mul.Tensor", "self", weight, "other", x);
    }
}
