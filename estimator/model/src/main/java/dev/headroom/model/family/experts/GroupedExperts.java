package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import org.jspecify.annotations.Nullable;

/** {@code grouped_mm_experts_forward} (transformers, integrations/moe.py): rows sorted by expert, sizes all fixed. */
final class GroupedExperts {
    private final Scope s;
    private final ExpertsShape shape;
    private final Experts experts;
    private final Request request;

    GroupedExperts(Scope s, ExpertsShape shape, Experts experts, Request request) {
        this.request = request;
        this.s = s;
        this.shape = shape;
        this.experts = experts;
    }

    Value write(Value... in) {
        s.line("sample_weights = top_k_weights.reshape(-1)");
        Value weights = flat(in[2]);
        s.line("expert_ids = top_k_index.reshape(-1)");
        Value ids = flat(in[1]);
        s.line("expert_ids_g, perm = torch.sort(expert_ids)");
        Value[] sorted = s.ops("aten.sort.default", 2, Scope.arguments("self", ids));
        Value perm = sorted[1];
        s.line("selected = hidden_states[perm // num_top_k]");
        Value tokens = s.op("aten.floor_divide.default", "self", perm, "other", shape.chosen());
        Value selected = picked(in[0], tokens);
        s.line("sample_weights_g = sample_weights[perm]");
        Value ordered = picked(weights, perm);
        s.line("histc_input = expert_ids_g.int()");
        Value numbers = s.op("aten.to.dtype", "self", sorted[0], "dtype", DType.INT32);
        s.line("tokens_per_expert = torch.histc(histc_input)");
        Value counts =
                s.op("aten.histc.default", "self", numbers, "bins", shape.count(), "min", 0, "max", shape.count() - 1);
        s.line("offsets = torch.cumsum(tokens_per_expert, dim=0, dtype=torch.int32)");
        Value offsets = s.op("aten.cumsum.default", "self", counts, "dim", 0, "dtype", DType.INT32);
        s.line("sentinel_mask = (expert_ids_g >= self.num_experts).unsqueeze(-1)");
        Value beyond = s.op("aten.ge.Scalar", "self", sorted[0], "other", shape.count());
        Value mask = s.op("aten.unsqueeze.default", "self", beyond, "dim", -1);
        s.line("expert_ids_g.clamp_(max=self.num_experts - 1)");
        Value bounded = s.op("aten.clamp_.default", "self", sorted[0], "max", shape.count() - 1);
        s.line("biases = self.gate_up_proj_bias[expert_ids_g]");
        Value biases = bias("gate_up_proj_bias", bounded);
        s.line("selected.masked_fill_(sentinel_mask, 0.0)");
        Value rows = s.op("aten.masked_fill_.Scalar", "self", selected, "mask", mask, "value", 0.0);
        s.line("proj_out = _grouped_linear(selected, weights, offsets, biases)");
        Value out = linear(rows, "gate_up_proj", offsets, biases);
        s.line("proj_out = proj_out.masked_fill(sentinel_mask, 0.0)");
        out = filled(out, mask);
        s.line("proj_out = self._apply_gate(proj_out)");
        out = experts.gated(s, out);
        s.line("biases = self.down_proj_bias[expert_ids_g]");
        biases = bias("down_proj_bias", bounded);
        s.line("proj_out = _grouped_linear(proj_out, weights, offsets, biases)");
        out = linear(out, "down_proj", offsets, biases);
        s.line("proj_out = proj_out.masked_fill(sentinel_mask, 0.0)");
        out = filled(out, mask);
        s.line("weighted_out = proj_out * sample_weights_g.unsqueeze(-1)");
        Value column = s.op("aten.unsqueeze.default", "self", ordered, "dim", -1);
        Value weighted = s.op("aten.mul.Tensor", "self", out, "other", column);
        return restored(in[0], perm, weighted);
    }

    private Value restored(Value hidden, Value perm, Value weighted) {
        s.line("inv_perm = torch.empty_like(perm)");
        Value empty = s.op("aten.empty_like.default", "self", perm);
        s.line("inv_perm[perm] = torch.arange(perm.size(0), device=device)");
        SymExpr rows = SymExpr.call("Mul", Rows.tokens(request), SymExpr.of(shape.chosen()));
        Value counted = s.op("aten.arange.default", "end", rows);
        Value inverse =
                s.op("aten.index_put_.default", "self", empty, "indices", new Value[] {perm}, "values", counted);
        s.line("weighted_out = weighted_out[inv_perm]");
        Value back = picked(weighted, inverse);
        s.line("final_hidden_states = weighted_out.view(num_tokens, num_top_k, hidden_dim).sum(dim=1)");
        SymExpr[] three = {Rows.tokens(request), SymExpr.of(shape.chosen()), SymExpr.of(shape.width())};
        Value view = s.op("aten.view.default", "self", back, "size", three);
        Value sum = s.op("aten.sum.dim_IntList", "self", view, "dim", new long[] {1});
        s.line("return final_hidden_states.to(hidden_states.dtype)");
        return s.op("aten.to.dtype", "self", sum, "dtype", new Argument.TypeOf(hidden.name()));
    }

    private Value flat(Value x) {
        return s.op("aten.reshape.default", "self", x, "shape", new long[] {-1});
    }

    private Value picked(Value from, Value rows) {
        return s.op("aten.index.Tensor", "self", from, "indices", new Value[] {rows});
    }

    private Value filled(Value x, Value mask) {
        return s.op("aten.masked_fill.Scalar", "self", x, "mask", mask, "value", 0.0);
    }

    private @Nullable Value bias(String name, Value ids) {
        return shape.gptOss() ? picked(s.parameter(name), ids) : null;
    }

    /** {@code _grouped_linear}. */
    private Value linear(Value rows, String weight, Value offsets, @Nullable Value bias) {
        return s.function("_grouped_linear", () -> {
            s.line("out = _grouped_mm(input.to(weight.dtype), weight, offs=offs)");
            Value stack = s.parameter(weight);
            Value typed = s.op("aten.to.dtype", "self", rows, "dtype", new Argument.TypeOf(stack.name()));
            Value turned = shape.gptOss() ? stack : s.op("aten.transpose.int", "self", stack, "dim0", -2, "dim1", -1);
            Value out = s.op("aten._grouped_mm.default", "self", typed, "mat2", turned, "offs", offsets);
            if (bias == null) {
                return out;
            }
            s.line("out.add_(bias)");
            return s.op("aten.add_.Tensor", "self", out, "other", bias);
        });
    }
}
