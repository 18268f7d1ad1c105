package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.Argument;

/**
 * Experts one after another, those that were hit alone (the {@code forward} of their classes). How many tokens each
 * gets is in the data: what the run's routing says.
 */
final class EagerExperts {
    private final Scope s;
    private final ExpertsShape shape;
    private final Experts experts;
    private final Request request;
    private final boolean worst;

    EagerExperts(Scope s, ExpertsShape shape, Experts experts, Request request) {
        this.s = s;
        this.shape = shape;
        this.experts = experts;
        this.request = request;
        this.worst = request.options().routing() == ModelOptions.Routing.WORST;
    }

    Value write(Value... in) {
        s.line("final_hidden_states = torch.zeros_like(hidden_states)");
        Value sum = s.op("aten.zeros_like.default", "self", in[0]);
        s.line("expert_mask = one_hot(top_k_index, num_classes=self.num_experts)");
        Value hot = s.op("aten.one_hot.default", "self", in[1], "num_classes", shape.count());
        s.line("expert_mask = expert_mask.permute(2, 1, 0)");
        Value mask = s.op("aten.permute.default", "self", hot, "dims", new long[] {2, 1, 0});
        s.line("expert_hit = torch.greater(expert_mask.sum(dim=(-1, -2)), 0).nonzero()");
        Value counts = s.op("aten.sum.dim_IntList", "self", mask, "dim", new long[] {-1, -2});
        Value some = s.op("aten.gt.Scalar", "self", counts, "other", 0);
        long hits = worst ? Math.min(shape.chosen(), shape.count()) : shape.count();
        Value hit = s.op("aten.nonzero.default", "self", some, "count", hits);
        for (long i = 0; i < hits; i++) {
            sum = one(i, mask, hit, sum, in);
        }
        return sum;
    }

    private Value one(long i, Value mask, Value hit, Value sum, Value... in) {
        s.line("expert_idx = expert_idx[0]");
        Value row = s.op("aten.select.int", "self", hit, "dim", 0, "index", i);
        Value number = s.op("aten.select.int", "self", row, "dim", 0, "index", 0);
        s.line("if expert_idx == self.num_experts");
        s.op("aten.eq.Scalar", "self", number, "other", shape.count());
        s.line("top_k_pos, token_idx = torch.where(expert_mask[expert_idx])");
        Value own = s.op("aten.select.int", "self", mask, "dim", 0, "index", i);
        Value places = s.op("aten.nonzero.default", "self", own, "count", Rows.ofExpert(request, shape));
        Value[] pair = s.ops("aten.unbind.int", 2, Scope.arguments("self", places, "dim", 1));
        s.line("current_state = hidden_states[token_idx]");
        Value state = s.op("aten.index.Tensor", "self", in[0], "indices", new Value[] {pair[1]});
        Value out = shape.gptOss() ? biased(i, state) : plain(i, state);
        s.line("current = current * top_k_weights[token_idx, top_k_pos, None]");
        Value column = s.op("aten.unsqueeze.default", "self", in[2], "dim", 2);
        Value weights = s.op("aten.index.Tensor", "self", column, "indices", new Value[] {pair[1], pair[0]});
        Value weighted = s.op("aten.mul.Tensor", "self", out, "other", weights);
        s.line("final_hidden_states = final_hidden_states.index_add_(0, token_idx, current.to(dtype))");
        Value typed = s.op("aten.to.dtype", "self", weighted, "dtype", new Argument.TypeOf(in[0].name()));
        return s.op("aten.index_add_.default", "self", sum, "dim", 0, "index", pair[1], "source", typed);
    }

    private Value plain(long i, Value state) {
        s.line("gate, up = linear(current_state, self.gate_up_proj[expert_idx]).chunk(2, dim=-1)");
        Value both = s.op("aten.linear.default", "input", state, "weight", of(i, "gate_up_proj"));
        Value gated = experts.gatedInLine(s, both, "current = self.act_fn(gate) * up");
        s.line("current = linear(current, self.down_proj[expert_idx])");
        return s.op("aten.linear.default", "input", gated, "weight", of(i, "down_proj"));
    }

    private Value biased(long i, Value state) {
        s.line("gate_up = current_state @ self.gate_up_proj[expert_idx] + self.gate_up_proj_bias[expert_idx]");
        Value both = product(i, state, "gate_up_proj");
        s.line("gated_output = self._apply_gate(gate_up)");
        Value gated = experts.gated(s, both);
        s.line("out = gated_output @ self.down_proj[expert_idx] + self.down_proj_bias[expert_idx]");
        return product(i, gated, "down_proj");
    }

    private Value product(long i, Value x, String weight) {
        Value product = s.op("aten.matmul.default", "self", x, "other", of(i, weight));
        return s.op("aten.add.Tensor", "self", product, "other", of(i, weight + "_bias"));
    }

    private Value of(long i, String stack) {
        return s.op("aten.select.int", "self", s.parameter(stack), "dim", 0, "index", i);
    }
}
