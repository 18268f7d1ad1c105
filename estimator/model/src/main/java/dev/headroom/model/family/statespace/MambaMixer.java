package dev.headroom.model.family.statespace;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code MambaMixer}: a convolution over tokens, and states that the tokens themselves choose. */
final class MambaMixer extends Layer {
    private static final String TO = "aten.to.dtype";

    private final MixerShape shape;
    private final Mixing mixing;
    private final boolean quantised;
    private final Layer convolution;
    private final Layer in;
    private final Layer choice;
    private final Layer steps;
    private final Layer out;
    private final List<Layer> norms = new ArrayList<>();

    MambaMixer(MixerShape shape, Request request) {
        this.shape = shape;
        boolean masked = request.options().mask() != ModelOptions.Mask.NONE;
        mixing = new Mixing(request, masked, shape.inner(), shape.kernel(), shape.convolutionBias());
        quantised = request.scenario().quant().any();
        parameter("A_log", shape.inner(), shape.states());
        parameter("D", shape.inner());
        convolution = child("conv1d", mixing.convolution());
        child("act", mixing.activation());
        in = child("in_proj", Layers.linear(shape.width(), 2 * shape.inner(), shape.bias()));
        choice = child("x_proj", Layers.linear(shape.inner(), shape.rank() + 2 * shape.states(), false));
        steps = child("dt_proj", Layers.linear(shape.rank(), shape.inner()));
        out = child("out_proj", Layers.linear(shape.inner(), shape.width(), shape.bias()));
        if (shape.norms()) {
            norms.add(child("dt_layernorm", new WeightlessNorm(shape, request.type(), shape.inner())));
            norms.add(child("b_layernorm", new WeightlessNorm(shape, request.type(), shape.states())));
            norms.add(child("c_layernorm", new WeightlessNorm(shape, request.type(), shape.states())));
        }
    }

    @Override
    protected String type() {
        return shape.prefix() + "Mixer";
    }

    @Override
    protected Value forward(Scope s, Value... given) {
        s.line("x = apply_mask_to_padding_states(x, attention_mask)");
        Value x = mixing.withoutPadding(s, given[0]);
        s.line("projected_states = self.in_proj(x).transpose(1, 2)");
        Value projected = Mixing.turned(s, s.call(in, x));
        s.line("A = -torch.exp(self.A_log.float())");
        Value rates = s.op("aten.exp.default", "self", Mixing.wide(s, s.parameter("A_log")));
        rates = s.op("aten.neg.default", "self", rates);
        if (s.training()) {
            fused(s);
        }
        s.line("mixed, gate = projected_states.chunk(2, dim=1)");
        Value[] halves = s.ops("aten.chunk.default", 2, arguments("self", projected, "chunks", 2, "dim", 1));
        s.line("mixed = causal_conv1d_fn(mixed, self.conv1d.weight.squeeze(1), self.conv1d.bias)");
        Value weight = s.op("aten.squeeze.dim", "self", s.parameter(convolution, "weight"), "dim", 1);
        Value mixed = s.function("causal_conv1d", () -> mixing.convolved(s, halves[0], weight));
        s.line("mixed = apply_mask_to_padding_states(mixed.transpose(1, 2), attention_mask)");
        mixed = mixing.withoutPadding(s, Mixing.turned(s, mixed));
        s.line("time_step, B, C = torch.split(self.x_proj(mixed), sizes, dim=-1)");
        long[] sizes = {shape.rank(), shape.states(), shape.states()};
        Map<String, Object> parts = arguments("self", s.call(choice, mixed), "split_sizes", sizes, "dim", -1);
        Value[] three = s.ops("aten.split_with_sizes.default", 3, parts);
        String[] names = {"time_step", "B", "C"};
        for (int i = 0; i < norms.size(); i++) {
            s.line(names[i] + " = self.layernorm(" + names[i] + ")");
            three[i] = s.call(norms.get(i), three[i]);
        }
        Value step = quantised ? calledStep(s, three[0]) : step(s, three[0]);
        s.line("time_proj_bias = self.dt_proj.bias.float()");
        Value bias = Mixing.wide(s, s.parameter(steps, "bias"));
        s.line("scan_output = mamba_selective_scan(mixed, time_step, A, B, C, D=self.D.float(), z=gate)");
        Map<String, Object> call = arguments("hidden_states", Mixing.turned(s, mixed), "dt", step, "A", rates);
        call.put("B", Mixing.turned(s, three[1]));
        call.put("C", Mixing.turned(s, three[2]));
        call.put("D", Mixing.wide(s, s.parameter("D")));
        call.put("z", halves[1]);
        call.put("delta_bias", bias);
        Value scanned = s.op("transformers.mamba_selective_scan.default", call);
        s.line("contextualized_states = self.out_proj(scan_output.transpose(1, 2).to(dtype))");
        Value narrow = s.op(TO, "self", Mixing.turned(s, scanned), "dtype", new Argument.TypeOf(given[0].name()));
        Value result = s.call(out, narrow);
        s.use(rates, halves[1], bias);
        return result;
    }

    private Value step(Scope s, Value x) {
        s.line("time_step = self.dt_proj.weight @ time_step.transpose(1, 2)");
        return s.op("aten.matmul.default", "self", s.parameter(steps, "weight"), "other", Mixing.turned(s, x));
    }

    /** As a quantised model has to. */
    private Value calledStep(Scope s, Value x) {
        s.line("time_step = (self.dt_proj(time_step) - self.dt_proj.bias).transpose(1, 2)");
        Value made = s.call(steps, x);
        return Mixing.turned(s, s.op("aten.sub.Tensor", "self", made, "other", s.parameter(steps, "bias")));
    }

    /** What the kernel of mamba-ssm would be given; without it the call comes to nothing. */
    private void fused(Scope s) {
        s.line("fused_output = mamba_inner_fn(projected_states, A, D=self.D.float(), delta_bias=bias.float())");
        List<Value> copies = new ArrayList<>();
        if (shape.bias()) {
            copies.add(Mixing.wide(s, s.parameter(out, "bias")));
        }
        copies.add(Mixing.wide(s, s.parameter("D")));
        copies.add(Mixing.wide(s, s.parameter(steps, "bias")));
        s.use(copies.toArray(Value[]::new));
    }

    /** {@code MambaWeightlessRMSNorm}: its weights are not read. */
    private static final class WeightlessNorm extends Layer {
        private final String prefix;

        private WeightlessNorm(MixerShape shape, DType type, long width) {
            prefix = shape.prefix();
            scratch("weight", type, width);
        }

        @Override
        protected String type() {
            return prefix + "WeightlessRMSNorm";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return self._norm(x.float()).type_as(x)");
            Value x = Mixing.wide(s, in[0]);
            Value normed = s.function("norm", () -> {
                s.line("return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)");
                Value squares = s.op("aten.pow.Tensor_Scalar", "self", x, "exponent", 2);
                Value mean = s.op("aten.mean.dim", "self", squares, "dim", new long[] {-1}, "keepdim", true);
                Value shifted = s.op("aten.add.Tensor", "self", mean, "other", 1e-6);
                return s.op("aten.mul.Tensor", "self", x, "other", s.op("aten.rsqrt.default", "self", shifted));
            });
            return s.op(TO, "self", normed, "dtype", new Argument.TypeOf(in[0].name()));
        }
    }
}
