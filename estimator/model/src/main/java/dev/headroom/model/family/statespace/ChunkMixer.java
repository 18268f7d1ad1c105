package dev.headroom.model.family.statespace;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.SymExpr;

/** {@code Mamba2Mixer} (transformers, models/mamba2/modeling_mamba2.py). */
final class ChunkMixer extends Layer {
    static final String CLASS = "transformers.models.mamba2.modeling_mamba2.";

    private final ChunkShape shape;
    private final Mixing mixing;
    private final Layer convolution;
    private final Layer in;
    private final Layer norm;
    private final Layer out;
    private final ChunkScan scan;

    ChunkMixer(ChunkShape shape, Request request) {
        this.shape = shape;
        ModelConfig c = request.config();
        boolean masked = request.options().mask() == ModelOptions.Mask.PADDED;
        mixing = new Mixing(request, masked, shape.channels(), shape.kernel(), c.flag("use_conv_bias", true));
        parameter("dt_bias", shape.heads());
        parameter("A_log", shape.heads());
        parameter("D", shape.heads());
        boolean bias = c.flag("use_bias", false);
        child("act", mixing.activation());
        convolution = child("conv1d", mixing.convolution());
        long projected = shape.inner() + shape.channels() + shape.heads();
        in = child("in_proj", Layers.linear(shape.width(), projected, bias));
        norm = child("norm", new GatedNorm(shape.inner(), c.number("layer_norm_epsilon", 1e-5)));
        out = child("out_proj", Layers.linear(shape.inner(), shape.width(), bias));
        scan = new ChunkScan(shape, request.seq());
    }

    @Override
    protected String type() {
        return CLASS + "Mamba2Mixer";
    }

    @Override
    protected Value forward(Scope s, Value... given) {
        s.line("x = apply_mask_to_padding_states(x, attention_mask)");
        Value x = mixing.withoutPadding(s, given[0]);
        s.line("projected_states = self.in_proj(x)");
        Value projected = s.call(in, x);
        s.line("A = -torch.exp(self.A_log.float())");
        Value rates = s.op("aten.exp.default", "self", Mixing.wide(s, s.parameter("A_log")));
        rates = s.op("aten.neg.default", "self", rates);
        s.line("gate, mixed, dt = projected_states.split(sizes, dim=-1)");
        Value[] three = split(s, projected, shape.inner(), shape.channels(), shape.heads());
        s.line("mixed = mixed.transpose(1, 2)");
        Value turned = Mixing.turned(s, three[1]);
        s.line("mixed = causal_conv1d_fn(mixed, self.conv1d.weight.squeeze(1), self.conv1d.bias)");
        Value weight = s.op("aten.squeeze.dim", "self", s.parameter(convolution, "weight"), "dim", 1);
        Value mixed = s.function("causal_conv1d", () -> mixing.convolved(s, turned, weight));
        s.line("mixed = apply_mask_to_padding_states(mixed.transpose(1, 2), attention_mask)");
        mixed = mixing.withoutPadding(s, Mixing.turned(s, mixed));
        s.line("x, B, C = torch.split(mixed, sizes, dim=-1)");
        long choice = shape.groups() * shape.states();
        Value[] parts = split(s, mixed, shape.inner(), choice, choice);
        s.line("scan_result = mamba2_chunk_scan(x.view(heads), dt, A, B.view(groups), C.view(groups), D=self.D)");
        Value heads = rows(s, parts[0], shape.heads(), shape.size());
        Value inputs = rows(s, parts[1], shape.groups(), shape.states());
        Value readings = rows(s, parts[2], shape.groups(), shape.states());
        Value a = rates;
        Value scanned = s.function(
                "mamba2_chunk_scan",
                () -> scan.write(s, heads, three[2], a, inputs, readings, s.parameter("D"), s.parameter("dt_bias")));
        s.line("scan_output = scan_result.reshape(batch_size, seq_len, -1)");
        SymExpr[] whole = {Request.BATCH, Request.SEQ, SymExpr.of(-1)};
        scanned = s.op("aten.reshape.default", "self", scanned, "shape", whole);
        s.line("scan_output = self.norm(scan_output, gate)");
        scanned = s.call(norm, scanned, three[0]);
        s.line("contextualized_states = self.out_proj(scan_output.to(dtype))");
        Value narrow = s.op("aten.to.dtype", "self", scanned, "dtype", new Argument.TypeOf(given[0].name()));
        Value result = s.call(out, narrow);
        s.use(rates, three[0], three[2]);
        return result;
    }

    private static Value[] split(Scope s, Value x, long... sizes) {
        return s.ops("aten.split_with_sizes.default", 3, arguments("self", x, "split_sizes", sizes, "dim", -1));
    }

    private static Value rows(Scope s, Value x, long count, long size) {
        SymExpr[] sizes = {Request.BATCH, Request.SEQ, SymExpr.of(count), SymExpr.of(size)};
        return s.op("aten.view.default", "self", x, "size", sizes);
    }

    /** {@code MambaRMSNormGated}. */
    private static final class GatedNorm extends Layer {
        private final double eps;

        private GatedNorm(long width, double eps) {
            this.eps = eps;
            parameter("weight", width);
        }

        @Override
        protected String type() {
            return CLASS + "MambaRMSNormGated";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = x.to(torch.float32)");
            Value x = Mixing.wide(s, in[0]);
            s.line("x = x * nn.functional.silu(gate.to(torch.float32))");
            x = s.op("aten.mul.Tensor", "self", x, "other", s.op("aten.silu.default", "self", Mixing.wide(s, in[1])));
            s.line("variance = x.pow(2).mean(-1, keepdim=True)");
            Value squared = s.op("aten.pow.Tensor_Scalar", "self", x, "exponent", 2);
            Value variance = s.op("aten.mean.dim", "self", squared, "dim", new long[] {-1}, "keepdim", true);
            s.line("x = x * torch.rsqrt(variance + self.variance_epsilon)");
            Value shifted = s.op("aten.add.Tensor", "self", variance, "other", eps);
            x = s.op("aten.mul.Tensor", "self", x, "other", s.op("aten.rsqrt.default", "self", shifted));
            s.line("return self.weight * x.to(input_dtype)");
            Value scaled = s.op("aten.to.dtype", "self", x, "dtype", new Argument.TypeOf(in[0].name()));
            return s.op("aten.mul.Tensor", "self", s.parameter("weight"), "other", scaled);
        }
    }
}
