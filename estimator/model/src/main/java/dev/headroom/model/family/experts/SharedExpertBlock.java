package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;

/** A feed-forward part of experts beside one that every token goes through (DeepseekV3MoE). */
public final class SharedExpertBlock extends Layer {
    private final String type;
    private final Request request;
    private final Layer experts;
    private final Layer router;
    private final Layer shared;
    private final long width;

    /** @param type class name */
    public SharedExpertBlock(String type, Request request, Layer experts, Layer router, Layer shared, long width) {
        this.type = type;
        this.request = request;
        this.experts = child("experts", experts);
        this.router = child("gate", router);
        this.shared = child("shared_experts", shared);
        this.width = width;
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("_, topk_indices, topk_weights = self.gate(hidden_states)");
        Value[] routed = s.results(router, in[0]);
        s.line("rows = hidden_states.view(-1, hidden_states.shape[-1])");
        Value rows = s.op("aten.view.default", "self", in[0], "size", new long[] {-1, width});
        s.line("out = self.experts(rows, topk_indices, topk_weights).view(*orig_shape)");
        Value chosen = s.call(experts, rows, routed[1], routed[2]);
        SymExpr[] three = {Request.BATCH, request.length(), SymExpr.of(width)};
        Value out = s.op("aten.view.default", "self", chosen, "size", three);
        s.line("out = out + self.shared_experts(residuals)");
        Value all = s.op("aten.add.Tensor", "self", out, "other", s.call(shared, in[0]));
        s.use(routed);
        return all;
    }
}
