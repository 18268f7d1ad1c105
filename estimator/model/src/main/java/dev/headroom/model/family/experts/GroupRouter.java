package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;

/**
 * Chooses groups of experts, then experts of these, by scores in float32 (models/deepseek_v3/modeling_deepseek_v3.py,
 * DeepseekV3TopkRouter). Returns as {@link Router} does.
 */
public final class GroupRouter extends SeveralResults {
    /**
     * Groups of experts.
     *
     * @param count of all
     * @param chosen of them
     * @param normalised whether the chosen experts' weights are made to add up to 1
     */
    public record Groups(long count, long chosen, boolean normalised) {}

    private final String type;
    private final ExpertsShape shape;
    private final Groups groups;

    /**
     * @param type class name
     * @param biasType of the numbers that balance the experts
     */
    public GroupRouter(String type, DType biasType, ExpertsShape shape, Groups groups) {
        this.type = type;
        this.shape = shape;
        this.groups = groups;
        parameter("weight", shape.count(), shape.width());
        buffer("e_score_correction_bias", biasType, shape.count());
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("rows = hidden_states.view(-1, self.hidden_dim)");
        Value rows = s.op("aten.view.default", "self", in[0], "size", new long[] {-1, shape.width()});
        s.line("router_logits = F.linear(rows.float(), self.weight.float())");
        Value wide = s.op("aten.to.dtype", "self", rows, "dtype", DType.FLOAT32);
        Value weight = s.op("aten.to.dtype", "self", s.parameter("weight"), "dtype", DType.FLOAT32);
        Value logits = s.op("aten.linear.default", "input", wide, "weight", weight);
        s.line("scores = router_logits.sigmoid()");
        Value scores = s.op("aten.sigmoid.default", "self", logits);
        s.line("choice = scores + self.e_score_correction_bias");
        Value choice = s.op("aten.add.Tensor", "self", scores, "other", s.parameter("e_score_correction_bias"));
        Value mask = mask(s, choice);
        s.line("choice = choice.masked_fill(~score_mask.bool(), -inf)");
        Value truths = s.op("aten.to.dtype", "self", mask, "dtype", DType.BOOL);
        Value others = s.op("aten.bitwise_not.default", "self", truths);
        choice = s.op("aten.masked_fill.Scalar", "self", choice, "mask", others, "value", -1e38);
        s.line("topk_indices = torch.topk(choice, k=self.top_k, dim=-1, sorted=False)[1]");
        Value chosen = top(s, choice, shape.chosen())[1];
        s.line("topk_weights = scores.gather(1, topk_indices)");
        Value weights = s.op("aten.gather.default", "self", scores, "dim", 1, "index", chosen);
        if (groups.normalised) {
            s.line("denominator = topk_weights.sum(dim=-1, keepdim=True) + 1e-20");
            Value sum = s.op("aten.sum.dim_IntList", "self", weights, "dim", new long[] {-1}, "keepdim", true);
            Value denominator = s.op("aten.add.Tensor", "self", sum, "other", 1e-20);
            s.line("topk_weights /= denominator");
            weights = s.op("aten.div_.Tensor", "self", weights, "other", denominator);
        }
        s.line("topk_weights = topk_weights * self.routed_scaling_factor");
        return new Value[] {logits, chosen, s.op("aten.mul.Tensor", "self", weights, "other", 2.5)};
    }

    /** 1 for the experts of chosen groups. */
    private Value mask(Scope s, Value choice) {
        long each = shape.count() / groups.count;
        s.line("group_scores = choice.view(-1, groups, each).topk(2, dim=-1)[0].sum(dim=-1)");
        Value grouped = s.op("aten.view.default", "self", choice, "size", new long[] {-1, groups.count, each});
        Value best = s.ops("aten.topk.default", 2, Scope.arguments("self", grouped, "k", 2, "dim", -1))[0];
        Value sums = s.op("aten.sum.dim_IntList", "self", best, "dim", new long[] {-1});
        s.line("group_idx = torch.topk(group_scores, k=self.topk_group, dim=-1, sorted=False)[1]");
        Value chosen = top(s, sums, groups.chosen)[1];
        s.line("group_mask = torch.zeros_like(group_scores)");
        Value zeros = s.op("aten.zeros_like.default", "self", sums);
        s.line("group_mask.scatter_(1, group_idx, 1)");
        Value marked = s.op("aten.scatter_.value", "self", zeros, "dim", 1, "index", chosen, "value", 1);
        s.line("score_mask = group_mask.unsqueeze(-1).expand(-1, groups, each).reshape(-1, self.num_experts)");
        Value column = s.op("aten.unsqueeze.default", "self", marked, "dim", -1);
        Value spread = s.op("aten.expand.default", "self", column, "size", new long[] {-1, groups.count, each});
        return s.op("aten.reshape.default", "self", spread, "shape", new long[] {-1, shape.count()});
    }

    private static Value[] top(Scope s, Value x, long k) {
        return s.ops(
                "aten.topk.default",
                2,
                Scope.arguments("self", x, "k", k, "dim", -1, "largest", true, "sorted", false));
    }
}
