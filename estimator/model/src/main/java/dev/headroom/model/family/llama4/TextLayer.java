package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.SymExpr;

/** {@code Llama4TextDecoderLayer}. */
final class TextLayer extends Layer {
    private final Request request;
    private final long width;
    private final Layer attention;
    private final Layer feedForward;
    private final Layer before;
    private final Layer between;

    TextLayer(Request request, long width, Layer attention, Layer feedForward, Layer before, Layer between) {
        this.request = request;
        this.width = width;
        this.attention = child("self_attn", attention);
        this.feedForward = child("feed_forward", feedForward);
        this.before = child("input_layernorm", before);
        this.between = child("post_attention_layernorm", between);
    }

    @Override
    protected String type() {
        return Llama4.CLASS + "TextDecoderLayer";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("hidden_states = self.input_layernorm(hidden_states)");
        Value x = s.call(before, in[0]);
        s.line(ReturnsMore.call(attention, "attention_states"));
        Value[] attended = s.results(attention, x);
        s.line("hidden_states = residual + attention_states");
        Value residual = s.op("aten.add.Tensor", "self", in[0], "other", attended[0]);
        s.line("hidden_states = self.post_attention_layernorm(hidden_states)");
        x = s.call(between, residual);
        s.line("hidden_states = self.feed_forward(hidden_states)");
        Value[] fed = s.results(feedForward, x);
        Value[] more = fed.length > 1 ? fed : attended; // what _ names last
        if (fed.length > 1 && attended.length > 1) {
            s.hold(attended[1]);
        }
        s.line("hidden_states = residual + hidden_states.view(residual.shape)");
        SymExpr[] sizes = {Request.BATCH, request.length(), SymExpr.of(width)};
        Value shaped = s.op("aten.view.default", "self", fed[0], "size", sizes);
        Value out = s.op("aten.add.Tensor", "self", residual, "other", shaped);
        s.use(residual, attended[0]);
        if (more.length > 1) {
            s.use(more[1]);
        }
        return out;
    }
}
