package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;

/** Experts beside one that every token goes through, as far as a gate of its own lets it (Qwen2MoeSparseMoeBlock). */
public final class GatedSharedBlock extends Layer {
    private final String type;
    private final Request request;
    private final Layer router;
    private final Layer experts;
    private final Layer shared;
    private final Layer gate;
    private final long width;

    /** @param type class name */
    public GatedSharedBlock(String type, Request request, Layer router, Layer experts, Layer shared, long width) {
        this.type = type;
        this.request = request;
        this.width = width;
        this.router = child("gate", router);
        this.experts = child("experts", experts);
        this.shared = child("shared_expert", shared);
        gate = child("shared_expert_gate", Layers.linear(width, 1, false));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("rows = hidden_states.view(-1, hidden_dim)");
        Value rows = s.op("aten.view.default", "self", in[0], "size", new long[] {-1, width});
        s.line("shared_output = self.shared_expert(rows)");
        Value common = s.call(shared, rows);
        s.line("_, selected_experts, routing_weights = self.gate(rows)");
        Value[] routed = s.results(router, rows);
        s.line("expert_output = self.experts(rows, selected_experts, routing_weights)");
        Value out = s.call(experts, rows, routed[1], routed[2]);
        s.line("shared_output = F.sigmoid(self.shared_expert_gate(rows)) * shared_output");
        Value open = s.op("aten.sigmoid.default", "self", s.call(gate, rows));
        common = s.op("aten.mul.Tensor", "self", open, "other", common);
        s.line("expert_output = expert_output + shared_output");
        out = s.op("aten.add.Tensor", "self", out, "other", common);
        s.line("expert_output = expert_output.reshape(batch_size, sequence_length, hidden_dim)");
        SymExpr[] three = {Request.BATCH, request.length(), SymExpr.of(width)};
        Value shaped = s.op("aten.reshape.default", "self", out, "shape", three);
        s.use(routed);
        return shaped;
    }
}
