package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** Scores experts and chooses some for each token. Returns scores of all, numbers of the chosen, and their weights. */
public final class Router extends SeveralResults {
    /** How weights come from scores. */
    public enum Kind {
        /** Shares of all experts, in float32; of the chosen ones made to add up to 1. */
        MIXTRAL,
        /** The same, in the scores' own type. */
        QWEN,
        /** The same, but the chosen ones' shares as they are. */
        QWEN_AS_THEY_ARE,
        /** Shares of the chosen ones alone. */
        GPT_OSS,
        /** The same of scores in float32. */
        GRANITE
    }

    private final String type;
    private final Kind kind;
    private final ExpertsShape shape;
    private final Pass pass;

    /**
     * @param type class name
     * @param pass that keeps the scores
     */
    public Router(String type, Kind kind, ExpertsShape shape, Pass pass) {
        this.pass = pass;
        this.type = type;
        this.kind = kind;
        this.shape = shape;
        parameter("weight", shape.count(), shape.width());
        if (kind == Kind.GPT_OSS) {
            parameter("bias", shape.count());
        }
    }

    boolean isOfGptOss() {
        return kind == Kind.GPT_OSS;
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        if (kind == Kind.GPT_OSS) {
            return ofChosen(s, in[0]);
        }
        if (kind == Kind.GRANITE) {
            return wide(s, in[0]);
        }
        s.line("hidden_states = hidden_states.reshape(-1, self.hidden_dim)");
        Value rows = s.op("aten.reshape.default", "self", in[0], "shape", new long[] {-1, shape.width()});
        s.line("router_logits = F.linear(hidden_states, self.weight)");
        Value logits = s.op("aten.linear.default", "input", rows, "weight", s.parameter("weight"));
        pass.route(logits);
        s.line("router_probs = softmax(router_logits.float(), dim=-1)");
        Value shares;
        if (kind == Kind.MIXTRAL) {
            Value wide = s.op("aten.to.dtype", "self", logits, "dtype", DType.FLOAT32);
            shares = s.op("aten.softmax.int", "self", wide, "dim", -1);
        } else {
            s.line("router_probs = softmax(router_logits, dtype=torch.float, dim=-1)");
            shares = s.op("aten.softmax.int", "self", logits, "dim", -1, "dtype", DType.FLOAT32);
        }
        s.line("router_top_value, router_indices = torch.topk(router_probs, self.top_k, dim=-1)");
        Value[] top = chosen(s, shares);
        Value weights = top[0];
        if (kind != Kind.QWEN_AS_THEY_ARE) {
            s.line("router_top_value /= router_top_value.sum(dim=-1, keepdim=True)");
            Value sum = s.op("aten.sum.dim_IntList", "self", weights, "dim", new long[] {-1}, "keepdim", true);
            weights = s.op("aten.div_.Tensor", "self", weights, "other", sum);
        }
        if (kind != Kind.MIXTRAL) {
            s.line("router_top_value = router_top_value.to(router_logits.dtype)");
            weights = s.op("aten.to.dtype", "self", weights, "dtype", new Argument.TypeOf(logits.name()));
        }
        return new Value[] {logits, top[1], weights};
    }

    private Value[] ofChosen(Scope s, Value x) {
        s.line("router_logits = F.linear(hidden_states, self.weight, self.bias)");
        Value logits =
                s.op("aten.linear.default", "input", x, "weight", s.parameter("weight"), "bias", s.parameter("bias"));
        pass.route(logits);
        s.line("router_top_value, router_indices = torch.topk(router_logits, self.top_k, dim=-1)");
        Value[] top = chosen(s, logits);
        s.line("router_scores = softmax(router_top_value, dim=1, dtype=router_top_value.dtype)");
        Value weights = s.op("aten.softmax.int", "self", top[0], "dim", 1, "dtype", new Argument.TypeOf(top[0].name()));
        return new Value[] {logits, top[1], weights};
    }

    private Value[] wide(Scope s, Value x) {
        s.line("router_logits = F.linear(hidden_states, self.weight).float()");
        Value scores = s.op("aten.linear.default", "input", x, "weight", s.parameter("weight"));
        Value logits = s.op("aten.to.dtype", "self", scores, "dtype", DType.FLOAT32);
        s.line("top_k_logits, top_k_index = router_logits.topk(self.top_k, dim=-1)");
        Value[] top = chosen(s, logits);
        s.line("top_k_weights = torch.softmax(top_k_logits, dim=-1).type_as(hidden_states)");
        Value shares = s.op("aten.softmax.int", "self", top[0], "dim", -1);
        Value weights = s.op("aten.to.dtype", "self", shares, "dtype", new Argument.TypeOf(x.name()));
        return new Value[] {logits, top[1], weights};
    }

    private Value[] chosen(Scope s, Value scores) {
        return s.ops("aten.topk.default", 2, Scope.arguments("self", scores, "k", shape.chosen(), "dim", -1));
    }
}
