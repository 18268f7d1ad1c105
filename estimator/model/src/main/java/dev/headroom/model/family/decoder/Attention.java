package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.SymExpr;

/** Self-attention with rotary positions, and keys and values that groups of query heads share. */
public final class Attention extends Layer {
    /**
     * What it is made of.
     *
     * @param type class name
     * @param width of the hidden states
     * @param heads of queries
     * @param keys heads of keys and values
     * @param size of a head
     * @param bias of the three input projections
     * @param outBias of the output projection
     * @param scale of the scores
     * @param kind of layer, which decides its mask and its rotation
     */
    public record Shape(
            String type,
            long width,
            long heads,
            long keys,
            long size,
            boolean bias,
            boolean outBias,
            double scale,
            String kind) {}

    private final Shape shape;
    private final Request request;
    private final Pass pass;
    private final Layer query;
    private final Layer key;
    private final Layer value;
    private final Layer out;

    public Attention(Shape shape, Request request, Pass pass) {
        this.shape = shape;
        this.request = request;
        this.pass = pass;
        query = child("q_proj", Layers.linear(shape.width, shape.heads * shape.size, shape.bias));
        key = child("k_proj", Layers.linear(shape.width, shape.keys * shape.size, shape.bias));
        value = child("v_proj", Layers.linear(shape.width, shape.keys * shape.size, shape.bias));
        out = child("o_proj", Layers.linear(shape.heads * shape.size, shape.width, shape.outBias));
    }

    @Override
    protected String type() {
        return shape.type;
    }

    private Value heads(Scope s, Layer projection, Value x) {
        SymExpr[] sizes = {Request.BATCH, request.length(), SymExpr.of(-1), SymExpr.of(shape.size)};
        Value split = s.op("aten.view.default", "self", s.call(projection, x), "size", sizes);
        return s.op("aten.transpose.int", "self", split, "dim0", 1, "dim1", 2);
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("queries = self.q_proj(x).view(shape).transpose(1, 2)");
        Value queries = heads(s, query, in[0]);
        s.line("keys = self.k_proj(x).view(shape).transpose(1, 2)");
        Value keys = heads(s, key, in[0]);
        s.line("values = self.v_proj(x).view(shape).transpose(1, 2)");
        Value values = heads(s, value, in[0]);
        Value[] turned = Rotations.apply(s, queries, keys, pass.rotation(shape.kind), shape.size);
        keys = turned[1];
        CacheStep step = request.step();
        if (step != null) {
            s.line("keys, values = past_key_values.update(keys, values, self.layer_idx)");
            KeyValueCache.Shape cached = new KeyValueCache.Shape(shape.keys, shape.size, shape.size);
            Value[] all = KeyValueCache.update(
                    s, step, !shape.kind.equals(Decoder.FULL), pass.nextLayer(), cached, keys, values);
            keys = all[0];
            values = all[1];
        } else if (request.caches()) {
            s.line("keys, values = past_key_values.update(keys, values, self.layer_idx)");
            keys = s.op("aten.clone.default", "self", keys);
            values = s.op("aten.clone.default", "self", values);
            pass.cache(keys, values);
        }
        Value attended = AttentionCall.write(s, request, shape, pass.mask(shape.kind), turned[0], keys, values);
        s.line("out = out.reshape(batch, seq, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, request.length(), SymExpr.of(-1)};
        Value flat = s.op("aten.reshape.default", "self", attended, "shape", joined);
        s.line("out = self.o_proj(out)");
        return s.call(out, flat);
    }
}
