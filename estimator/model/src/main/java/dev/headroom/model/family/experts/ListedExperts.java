package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * Experts before transformers 5: a list of modules with linear layers of their own, run one after another (4.48.1,
 * models/mixtral/modeling_mixtral.py, MixtralSparseMoeBlock; 4.51.0, models/qwen3_moe, Qwen3MoeSparseMoeBlock). Each
 * expert gets the tokens that the run's routing says; all experts run, also those without any.
 */
public final class ListedExperts extends SeveralResults implements ReturnsMore {
    /**
     * An expert's layers.
     *
     * @param type class name
     * @param names of the gate's layer, of the one that leads down, and of the one that leads up, as registered
     */
    public record Expert(String type, List<String> names) {
        private static final int GATE = 0;
        private static final int DOWN = 1;
        private static final int UP = 2;
    }

    private final String type;
    private final Router.Kind kind;
    private final ExpertsShape shape;
    private final Request request;
    private final Layer gate;
    private final ModuleList experts = new ModuleList();
    private final List<Layer> all;

    /**
     * @param type class name
     * @param activation makes an expert's
     */
    public ListedExperts(
            String type,
            Router.Kind kind,
            ExpertsShape shape,
            Request request,
            Expert expert,
            Supplier<Layer> activation) {
        this.type = type;
        this.kind = kind;
        this.shape = shape;
        this.request = request;
        gate = child("gate", Layers.linear(shape.width(), shape.count(), false));
        child("experts", experts);
        all = LongStream.range(0, shape.count())
                .<Layer>mapToObj(i -> experts.add(new OneExpert(expert, shape, activation.get())))
                .toList();
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    public boolean returnsMore() {
        return true;
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("hidden_states = hidden_states.view(-1, hidden_dim)");
        Value rows = s.op("aten.view.default", "self", in[0], "size", new long[] {-1, shape.width()});
        s.line("router_logits = self.gate(hidden_states)");
        Value logits = s.call(gate, rows);
        s.line("routing_weights = F.softmax(router_logits, dim=1, dtype=torch.float)");
        Value shares = s.op("aten.softmax.int", "self", logits, "dim", 1, "dtype", DType.FLOAT32);
        s.line("routing_weights, selected_experts = torch.topk(routing_weights, self.top_k, dim=-1)");
        Value[] top = s.ops("aten.topk.default", 2, Scope.arguments("self", shares, "k", shape.chosen(), "dim", -1));
        Value weights = top[0];
        if (kind != Router.Kind.QWEN_AS_THEY_ARE) {
            s.line("routing_weights /= routing_weights.sum(dim=-1, keepdim=True)");
            Value sum = s.op("aten.sum.dim_IntList", "self", weights, "dim", new long[] {-1}, "keepdim", true);
            weights = s.op("aten.div_.Tensor", "self", weights, "other", sum);
        }
        s.line("routing_weights = routing_weights.to(hidden_states.dtype)");
        weights = s.op("aten.to.dtype", "self", weights, "dtype", new Argument.TypeOf(in[0].name()));
        s.line("final_hidden_states = torch.zeros((batch_size * sequence_length, hidden_dim))");
        Value sum = s.op("aten.zeros_like.default", "self", rows);
        s.line("expert_mask = one_hot(selected_experts, num_classes=self.num_experts).permute(2, 1, 0)");
        Value hot = s.op("aten.one_hot.default", "self", top[1], "num_classes", shape.count());
        Value mask = s.op("aten.permute.default", "self", hot, "dims", new long[] {2, 1, 0});
        for (int i = 0; i < all.size(); i++) {
            sum = one(s, i, mask, rows, weights, sum);
        }
        s.line("final_hidden_states = final_hidden_states.reshape(batch_size, sequence_length, hidden_dim)");
        SymExpr[] three = {Request.BATCH, request.length(), SymExpr.of(shape.width())};
        return new Value[] {s.op("aten.reshape.default", "self", sum, "shape", three), logits};
    }

    private Value one(Scope s, int i, Value mask, Value rows, Value weights, Value sum) {
        s.line("idx, top_x = torch.where(expert_mask[expert_idx])");
        Value own = s.op("aten.select.int", "self", mask, "dim", 0, "index", i);
        Value places = s.op("aten.nonzero.default", "self", own, "count", Rows.ofExpert(request, shape));
        Value[] pair = s.ops("aten.unbind.int", 2, Scope.arguments("self", places, "dim", 1));
        s.line("current_state = hidden_states[None, top_x].reshape(-1, hidden_dim)");
        Value state = s.op("aten.index.Tensor", "self", rows, "indices", new Value[] {pair[1]});
        s.line("current_hidden_states = expert_layer(current_state) * routing_weights[top_x, idx, None]");
        Value out = s.call(all.get(i), state);
        Value column = s.op("aten.unsqueeze.default", "self", weights, "dim", 2);
        Value factors = s.op("aten.index.Tensor", "self", column, "indices", new Value[] {pair[1], pair[0]});
        Value weighted = s.op("aten.mul.Tensor", "self", out, "other", factors);
        s.line("final_hidden_states.index_add_(0, top_x, current_hidden_states.to(hidden_states.dtype))");
        Value typed = s.op("aten.to.dtype", "self", weighted, "dtype", new Argument.TypeOf(rows.name()));
        return s.op("aten.index_add_.default", "self", sum, "dim", 0, "index", pair[1], "source", typed);
    }

    /** {@code down(act(gate(x)) * up(x))}. */
    private static final class OneExpert extends Layer {
        private final String type;
        private final Layer gate;
        private final Layer down;
        private final Layer up;
        private final Layer activation;

        private OneExpert(Expert expert, ExpertsShape shape, Layer activation) {
            type = expert.type;
            gate = child(expert.names.get(Expert.GATE), Layers.linear(shape.width(), shape.hidden(), false));
            down = child(expert.names.get(Expert.DOWN), Layers.linear(shape.hidden(), shape.width(), false));
            up = child(expert.names.get(Expert.UP), Layers.linear(shape.width(), shape.hidden(), false));
            this.activation = child("act_fn", activation);
        }

        @Override
        protected String type() {
            return type;
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("current_hidden_states = self.act_fn(self.w1(hidden_states)) * self.w3(hidden_states)");
            Value gated = s.call(activation, s.call(gate, in[0]));
            Value product = s.op("aten.mul.Tensor", "self", gated, "other", s.call(up, in[0]));
            s.line("current_hidden_states = self.w2(current_hidden_states)");
            return s.call(down, product);
        }
    }
}
