package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import org.jspecify.annotations.Nullable;

/** A stack of experts: two parameters hold the weights of all. */
public final class Experts extends Layer {
    private final ExpertsShape shape;
    private final Request request;
    private final @Nullable Layer activation;

    /** @param activation of gates; {@code null} where the stack has its own */
    public Experts(ExpertsShape shape, Request request, @Nullable Layer activation) {
        this.shape = shape;
        this.request = request;
        if (shape.gptOss()) {
            parameter("gate_up_proj", shape.count(), shape.width(), 2 * shape.hidden());
            parameter("gate_up_proj_bias", shape.count(), 2 * shape.hidden());
            parameter("down_proj", shape.count(), shape.hidden(), shape.width());
            parameter("down_proj_bias", shape.count(), shape.width());
        } else {
            parameter("gate_up_proj", shape.count(), 2 * shape.hidden(), shape.width());
            parameter("down_proj", shape.count(), shape.width(), shape.hidden());
        }
        this.activation = activation == null ? null : child("act_fn", activation);
    }

    @Override
    protected String type() {
        return shape.type();
    }

    /** @param in hidden states, numbers of the chosen experts, their weights */
    @Override
    protected Value forward(Scope s, Value... in) {
        return switch (request.options().experts()) {
            case AUTO, GROUPED_MM -> {
                s.line("return experts_forward(self, hidden_states, top_k_index, top_k_weights)");
                yield s.function("grouped_mm", () -> new GroupedExperts(s, shape, this, request).write(in));
            }
            case EAGER -> new EagerExperts(s, shape, this, request).write(in);
            case BATCHED_MM -> {
                s.line("return experts_forward(self, hidden_states, top_k_index, top_k_weights)");
                yield s.function("batched_mm", () -> new BatchedExperts(s, shape, this, request).write(in));
            }
        };
    }

    /** {@code _apply_gate}, a line of its caller. */
    Value gated(Scope s, Value both) {
        return s.function("_apply_gate", () -> {
            if (shape.gptOss()) {
                return bounded(s, both);
            }
            s.line("gate, up = gate_up_out.chunk(2, dim=-1)");
            Value[] halves = s.ops("aten.chunk.default", 2, Scope.arguments("self", both, "chunks", 2, "dim", -1));
            s.line("return self.act_fn(gate) * up");
            Value gate = activation == null ? halves[0] : s.call(activation, halves[0]);
            return s.op("aten.mul.Tensor", "self", gate, "other", halves[1]);
        });
    }

    /**
     * The same in lines of the caller.
     *
     * @param line that multiplies
     */
    Value gatedInLine(Scope s, Value both, String line) {
        Value[] halves = s.ops("aten.chunk.default", 2, Scope.arguments("self", both, "chunks", 2, "dim", -1));
        s.line(line);
        Value gate = activation == null ? halves[0] : s.call(activation, halves[0]);
        return s.op("aten.mul.Tensor", "self", gate, "other", halves[1]);
    }

    /** models/gpt_oss/modeling_gpt_oss.py, GptOssExperts._apply_gate. */
    private static Value bounded(Scope s, Value both) {
        s.line("gate, up = gate_up[..., ::2], gate_up[..., 1::2]");
        Value gate = every(s, both, 0);
        Value up = every(s, both, 1);
        s.line("gate = gate.clamp(min=None, max=self.limit)");
        gate = s.op("aten.clamp.default", "self", gate, "max", 7.0);
        s.line("up = up.clamp(min=-self.limit, max=self.limit)");
        up = s.op("aten.clamp.default", "self", up, "min", -7.0, "max", 7.0);
        s.line("glu = gate * torch.sigmoid(gate * self.alpha)");
        Value steep = s.op("aten.mul.Tensor", "self", gate, "other", 1.702);
        Value glu = s.op("aten.mul.Tensor", "self", gate, "other", s.op("aten.sigmoid.default", "self", steep));
        s.line("gated_output = (up + 1) * glu");
        Value raised = s.op("aten.add.Tensor", "self", up, "other", 1);
        return s.op("aten.mul.Tensor", "self", raised, "other", glu);
    }

    private static Value every(Scope s, Value x, long first) {
        return s.op("aten.slice.Tensor", "self", x, "dim", -1, "start", first, "end", Long.MAX_VALUE, "step", 2);
    }
}
