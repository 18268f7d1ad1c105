package dev.headroom.model.family.experts;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.SymExpr;

/** A feed-forward part of experts: a router chooses for each token, and the chosen ones' results are added up. */
public final class ExpertBlock extends SeveralResults implements ReturnsMore {
    private final String type;
    private final Layer router;
    private final Layer experts;
    private final long width;
    private final Request request;
    private final boolean scores;

    /**
     * @param type class name
     * @param routerName under which the router is registered
     * @param routerFirst whether it is registered before the experts
     */
    public ExpertBlock(
            String type,
            String routerName,
            boolean routerFirst,
            Layer router,
            Layer experts,
            long width,
            Request request) {
        this.request = request;
        this.scores = router instanceof Router r && r.isOfGptOss();
        this.type = type;
        this.router = router;
        this.experts = experts;
        this.width = width;
        if (routerFirst) {
            child(routerName, router);
        }
        child("experts", experts);
        if (!routerFirst) {
            child(routerName, router);
        }
    }

    @Override
    protected String type() {
        return type;
    }

    /** gpt-oss returns the weights of the chosen experts. */
    @Override
    public boolean returnsMore() {
        return scores;
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("rows = hidden_states.view(-1, hidden_dim)");
        Value rows = s.op("aten.view.default", "self", in[0], "size", new long[] {-1, width});
        s.line("_, selected_experts, routing_weights = self.gate(rows)");
        Value[] routed = s.results(router, rows);
        s.line("out = self.experts(rows, selected_experts, routing_weights)");
        Value out = s.call(experts, rows, routed[1], routed[2]);
        s.line("out = out.reshape(batch_size, sequence_length, hidden_dim)");
        SymExpr[] three = {Request.BATCH, request.length(), SymExpr.of(width)};
        Value shaped = s.op("aten.reshape.default", "self", out, "shape", three);
        s.use(routed);
        return scores ? new Value[] {shaped, routed[2]} : new Value[] {shaped};
    }
}
