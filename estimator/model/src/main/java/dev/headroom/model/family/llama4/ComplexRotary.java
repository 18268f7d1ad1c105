package dev.headroom.model.family.llama4;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;

/** {@code Llama4TextRotaryEmbedding}: for each position complex numbers of length 1. */
final class ComplexRotary extends SeveralResults {
    private final Request request;

    /** @param size of a head */
    ComplexRotary(Request request, long size) {
        this.request = request;
        scratch("inv_freq", DType.FLOAT32, size / 2);
        scratch("original_inv_freq", DType.FLOAT32, size / 2);
    }

    @Override
    protected String type() {
        return Llama4.CLASS + "TextRotaryEmbedding";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("inv_freq_expanded = self.inv_freq[None, :, None].float().expand(position_ids.shape[0], -1, 1)");
        Value row = s.op("aten.unsqueeze.default", "self", s.parameter("inv_freq"), "dim", 0);
        Value column = s.op("aten.unsqueeze.default", "self", row, "dim", 2);
        SymExpr[] sizes = {request.options().packing() ? Request.BATCH : SymExpr.of(1), SymExpr.of(-1), SymExpr.of(1)};
        Value frequencies = s.op("aten.expand.default", "self", column, "size", sizes);
        s.line("position_ids_expanded = position_ids[:, None, :].float()");
        Value numbers = s.op("aten.unsqueeze.default", "self", in[1], "dim", 1);
        Value positions = s.op("aten.to.dtype", "self", numbers, "dtype", DType.FLOAT32);
        s.line("freqs = (inv_freq_expanded.to(x.device) @ position_ids_expanded).transpose(1, 2)");
        Value angles = s.outOfAutocast("aten.matmul.default", "self", frequencies, "other", positions);
        Value turned = s.op("aten.transpose.int", "self", angles, "dim0", 1, "dim1", 2);
        s.line("freqs_cis = torch.polar(torch.ones_like(freqs), freqs)");
        Value lengths = s.op("aten.ones_like.default", "self", turned);
        Value complex = s.op("aten.polar.default", "abs", lengths, "angle", turned);
        s.line("freqs_cis = freqs_cis * self.attention_scaling");
        Value scaled = s.op("aten.mul.Tensor", arguments("self", complex, "other", 1.0));
        s.use(positions, angles);
        return new Value[] {scaled, scaled};
    }
}
