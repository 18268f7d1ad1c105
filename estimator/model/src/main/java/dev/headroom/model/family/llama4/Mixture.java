package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.GatedFeedForward;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/**
 * {@code Llama4TextMoe}: every expert is given every token, multiplied by its score, which is 0 for those that were not
 * chosen; one expert is given them as they are.
 */
final class Mixture extends SeveralResults {
    private final long width;
    private final long count;
    private final Layer experts;
    private final Layer router;
    private final Layer shared;

    Mixture(ModelConfig c) {
        width = c.size("hidden_size");
        count = c.size("num_local_experts", 16);
        long inner = c.size("intermediate_size");
        experts = child("experts", new Experts(c, count, width, inner));
        router = child("router", new Router(count, width, c.size("num_experts_per_tok", 1)));
        shared = child("shared_expert", feedForward(c, inner));
    }

    /** {@code Llama4TextMLP}. */
    static Layer feedForward(ModelConfig c, long inner) {
        return new GatedFeedForward(
                Llama4.CLASS + "TextMLP", c.size("hidden_size"), inner, false, Activations.of(c, "hidden_act", "silu"));
    }

    @Override
    protected String type() {
        return Llama4.CLASS + "TextMoe";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("hidden_states = hidden_states.reshape(-1, self.hidden_dim)");
        Value rows = s.op("aten.reshape.default", "self", in[0], "shape", new long[] {-1, width});
        s.line("router_scores, router_logits = self.router(hidden_states)");
        Value[] routed = s.results(router, rows);
        s.line("routed_in = hidden_states.repeat(router_scores.shape[1], 1)");
        Value given = s.op("aten.repeat.default", "self", rows, "repeats", new long[] {count, 1});
        s.line("routed_in = routed_in * router_scores.transpose(0, 1).reshape(-1, 1)");
        Value turned = s.op("aten.transpose.int", "self", routed[0], "dim0", 0, "dim1", 1);
        Value column = s.op("aten.reshape.default", "self", turned, "shape", new long[] {-1, 1});
        given = s.op("aten.mul.Tensor", "self", given, "other", column);
        s.line("routed_out = self.experts(routed_in)");
        Value made = s.call(experts, given);
        s.line("out = self.shared_expert(hidden_states)");
        Value out = s.call(shared, rows);
        s.line("out.add_(routed_out.reshape(router_scores.shape[1], -1, routed_out.shape[-1]).sum(dim=0))");
        Value each = s.op("aten.reshape.default", "self", made, "shape", new long[] {count, -1, width});
        Value sum = s.op("aten.sum.dim_IntList", "self", each, "dim", new long[] {0});
        Value all = s.op("aten.add_.Tensor", "self", out, "other", sum);
        s.line("return out, router_logits");
        s.use(routed[0], given, made);
        return new Value[] {all, routed[1]};
    }

    /** {@code Llama4Router}, a linear layer that goes on. */
    private static final class Router extends SeveralResults {
        private final long chosen;

        private Router(long count, long width, long chosen) {
            this.chosen = chosen;
            parameter("weight", count, width);
        }

        @Override
        protected String type() {
            return Llama4.CLASS + "Router";
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("router_logits = super().forward(hidden_states)");
            Value logits = s.op("aten.linear.default", "input", in[0], "weight", s.parameter("weight"));
            s.line("router_top_value, router_indices = torch.topk(router_logits, self.top_k, dim=1)");
            Value[] top = s.ops("aten.topk.default", 2, Scope.arguments("self", logits, "k", chosen, "dim", 1));
            s.line("router_scores = full_like(router_logits, -inf).scatter_(1, router_indices, router_top_value)");
            Value none = s.op("aten.full_like.default", "self", logits, "fill_value", 0.0);
            Value scores = s.op("aten.scatter_.src", "self", none, "dim", 1, "index", top[1], "src", top[0]);
            s.line("router_scores = torch.nn.functional.sigmoid(router_scores.float()).to(router_scores.dtype)");
            Value wide = s.op("aten.to.dtype", "self", scores, "dtype", DType.FLOAT32);
            Value shares = s.op("aten.sigmoid.default", "self", wide);
            Value out = s.op("aten.to.dtype", "self", shares, "dtype", new Argument.TypeOf(scores.name()));
            s.line("return router_scores, router_logits");
            s.use(top);
            return new Value[] {out, logits};
        }
    }

    /** {@code Llama4TextExperts}. */
    private static final class Experts extends Layer {
        private final long count;
        private final long width;
        private final Layer activation;

        private Experts(ModelConfig c, long count, long width, long inner) {
            this.count = count;
            this.width = width;
            parameter("gate_up_proj", count, width, 2 * inner);
            parameter("down_proj", count, inner, width);
            activation = child("act_fn", Activations.of(c, "hidden_act", "silu"));
        }

        @Override
        protected String type() {
            return Llama4.CLASS + "TextExperts";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("hidden_states = hidden_states.view(self.gate_up_proj.shape[0], -1, self.hidden_size)");
            Value each = s.op("aten.view.default", "self", in[0], "size", new long[] {count, -1, width});
            s.line("gate_up = torch.bmm(hidden_states, self.gate_up_proj)");
            Value both = s.op("aten.bmm.default", "self", each, "mat2", s.parameter("gate_up_proj"));
            s.line("gate, up = gate_up.chunk(2, dim=-1)");
            Value[] half = s.ops("aten.chunk.default", 2, Scope.arguments("self", both, "chunks", 2, "dim", -1));
            s.line("next_states = torch.bmm((up * self.act_fn(gate)), self.down_proj)");
            Value open = s.call(activation, half[0]);
            Value product = s.op("aten.mul.Tensor", "self", half[1], "other", open);
            Value out = s.op("aten.bmm.default", "self", product, "mat2", s.parameter("down_proj"));
            s.line("next_states = next_states.view(-1, self.hidden_size)");
            Value rows = s.op("aten.view.default", "self", out, "size", new long[] {-1, width});
            s.use(both);
            return rows;
        }
    }
}
