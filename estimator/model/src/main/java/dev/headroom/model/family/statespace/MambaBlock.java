package dev.headroom.model.family.statespace;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** {@code MambaBlock}. */
final class MambaBlock extends Layer {
    private final String type;
    private final boolean wide;
    private final Layer norm;
    private final Layer mixer;

    MambaBlock(String prefix, long width, Request request, Layer mixer) {
        type = prefix + "Block";
        wide = request.config().flag("residual_in_fp32", true);
        norm = child("norm", Mamba.norm(prefix, width, request.config()));
        this.mixer = child("mixer", mixer);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        Value residual = in[0];
        s.line("x = self.norm(x.to(dtype=self.norm.weight.dtype))");
        Argument type = new Argument.TypeOf(s.parameter(norm, "weight").name());
        Value x = s.call(norm, s.op("aten.to.dtype", "self", in[0], "dtype", type));
        if (wide) {
            s.line("residual = residual.to(torch.float32)");
            residual = s.op("aten.to.dtype", "self", residual, "dtype", DType.FLOAT32);
        }
        s.line("x = self.mixer(x)");
        x = s.call(mixer, x);
        s.line("x = residual + x");
        return s.op("aten.add.Tensor", "self", residual, "other", x);
    }
}
