package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.SymExpr;
import org.jspecify.annotations.Nullable;

/** {@code batched_mm_experts_forward} (transformers, integrations/moe.py): an expert's weights copied for each row. */
final class BatchedExperts {
    private final Scope s;
    private final ExpertsShape shape;
    private final Experts experts;
    private final Request request;

    BatchedExperts(Scope s, ExpertsShape shape, Experts experts, Request request) {
        this.s = s;
        this.shape = shape;
        this.experts = experts;
        this.request = request;
    }

    Value write(Value... in) {
        s.line("selected = hidden_states.repeat_interleave(num_top_k, dim=0)");
        Value rows = s.op("aten.repeat_interleave.self_int", "self", in[0], "repeats", shape.chosen(), "dim", 0);
        s.line("sample_weights = top_k_weights.reshape(-1)");
        Value weights = s.op("aten.reshape.default", "self", in[2], "shape", new long[] {-1});
        s.line("expert_ids = top_k_index.reshape(-1)");
        Value ids = s.op("aten.reshape.default", "self", in[1], "shape", new long[] {-1});
        s.line("expert_ids = expert_ids.clamp(0, self.num_experts - 1)");
        ids = s.op("aten.clamp.default", "self", ids, "min", 0, "max", shape.count() - 1);
        Value out = linear(rows, "gate_up_proj", ids);
        s.line("proj_out = self._apply_gate(proj_out)");
        out = experts.gated(s, out);
        out = linear(out, "down_proj", ids);
        s.line("weighted_out = proj_out * sample_weights.unsqueeze(-1)");
        Value column = s.op("aten.unsqueeze.default", "self", weights, "dim", -1);
        Value weighted = s.op("aten.mul.Tensor", "self", out, "other", column);
        s.line("final_hidden_states = weighted_out.view(num_tokens, num_top_k, hidden_dim).sum(dim=1)");
        SymExpr[] three = {Rows.tokens(request), SymExpr.of(shape.chosen()), SymExpr.of(shape.width())};
        Value view = s.op("aten.view.default", "self", weighted, "size", three);
        Value sum = s.op("aten.sum.dim_IntList", "self", view, "dim", new long[] {1});
        s.line("return final_hidden_states.to(hidden_states.dtype)");
        return s.op("aten.to.dtype", "self", sum, "dtype", new Argument.TypeOf(in[0].name()));
    }

    private Value picked(String name, Value ids) {
        return s.op("aten.index.Tensor", "self", s.parameter(name), "indices", new Value[] {ids});
    }

    private Value linear(Value rows, String weight, Value ids) {
        s.line("selected_weights = self.weights[expert_ids]");
        Value weights = picked(weight, ids);
        s.line("selected_biases = self.biases[expert_ids]");
        @Nullable Value bias = shape.gptOss() ? picked(weight + "_bias", ids) : null;
        s.line("proj_out = _batched_linear(rows, selected_weights, bias=selected_biases)");
        return s.function("_batched_linear", () -> {
            s.line("out = torch.bmm(weight, input.unsqueeze(-1)).squeeze(-1)");
            Value out = shape.gptOss() ? product(rows, weights, 1) : product(weights, rows, -1);
            if (bias == null) {
                return out;
            }
            s.line("out.add_(bias)");
            return s.op("aten.add_.Tensor", "self", out, "other", bias);
        });
    }

    /** A product with rows that get a dimension for it. */
    private Value product(Value a, Value b, long dim) {
        Value left = dim == 1 ? s.op("aten.unsqueeze.default", "self", a, "dim", dim) : a;
        Value right = dim == 1 ? b : s.op("aten.unsqueeze.default", "self", b, "dim", dim);
        Value product = s.op("aten.bmm.default", "self", left, "mat2", right);
        return s.op("aten.squeeze.dim", "self", product, "dim", dim);
    }
}
