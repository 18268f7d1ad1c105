package dev.headroom.model.family.statespace;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.Map;

/** What mixers of states share: the convolution over tokens, and masks of padding. */
final class Mixing {
    private static final String TO = "aten.to.dtype";

    private final boolean masked;
    private final long channels;
    private final long kernel;
    private final boolean bias;
    private final Layer convolution;
    private final Layer activation;

    /**
     * Of a model.
     *
     * @param masked whether states of padding are put out
     * @param channels that the convolution goes over, each on its own
     */
    Mixing(Request request, boolean masked, long channels, long kernel, boolean bias) {
        this.masked = masked;
        this.channels = channels;
        this.kernel = kernel;
        this.bias = bias;
        convolution = new Convolution(channels, kernel, bias);
        activation = Activations.of(request.config(), "hidden_act", "silu");
    }

    /** {@code self.conv1d}. */
    Layer convolution() {
        return convolution;
    }

    /** {@code self.act}. */
    Layer activation() {
        return activation;
    }

    /** {@code apply_mask_to_padding_states}. */
    Value withoutPadding(Scope s, Value x) {
        if (!masked) {
            return x;
        }
        return s.function("apply_mask_to_padding_states", () -> {
            s.line("x = (x * attention_mask[:, :, None]).to(dtype)");
            Value column = s.op("aten.unsqueeze.default", "self", s.given("attention_mask"), "dim", 2);
            Value kept = s.op("aten.mul.Tensor", "self", x, "other", column);
            return s.op(TO, "self", kept, "dtype", new Argument.TypeOf(x.name()));
        });
    }

    /** {@code causal_conv1d_fn}. */
    Value convolved(Scope s, Value x, Value weight) {
        s.line("out = F.conv1d(x.to(weight.dtype), weight.unsqueeze(1), bias, padding, groups)[:, :, :seq]");
        Value narrow = s.op(TO, "self", x, "dtype", new Argument.TypeOf(weight.name()));
        Value one = s.op("aten.unsqueeze.default", "self", weight, "dim", 1);
        Map<String, Object> call = arguments("input", narrow, "weight", one);
        if (bias) {
            call.put("bias", s.parameter(convolution, "bias"));
        }
        call.put("stride", new long[] {1});
        call.put("padding", new long[] {kernel - 1});
        call.put("dilation", new long[] {1});
        call.put("groups", channels);
        Value all = s.op("aten.conv1d.default", call);
        Value out = s.op("aten.slice.Tensor", "self", all, "dim", 2, "start", 0, "end", Request.SEQ);
        s.line("out = ACT2FN[activation](out)");
        out = s.call(activation, out);
        s.line("return out.to(x.dtype)");
        return s.op(TO, "self", out, "dtype", new Argument.TypeOf(x.name()));
    }

    static Value turned(Scope s, Value x) {
        return s.op("aten.transpose.int", "self", x, "dim0", 1, "dim1", 2);
    }

    static Value wide(Scope s, Value x) {
        return s.op(TO, "self", x, "dtype", DType.FLOAT32);
    }

    /** {@code nn.Conv1d}, whose weights the mixer takes. */
    private static final class Convolution extends Layer {
        private Convolution(long channels, long kernel, boolean bias) {
            parameter("weight", channels, 1, kernel);
            if (bias) {
                parameter("bias", channels);
            }
        }

        @Override
        protected String type() {
            return "torch.nn.modules.conv.Conv1d";
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            throw new IllegalStateException("never called");
        }
    }
}
