package dev.headroom.model.family.encoder;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code BertSelfAttention}: every token sees every other; the second input, where there is one, is the mask. */
final class SelfAttention extends SeveralResults {
    private final Shape shape;
    private final Request request;
    private final Layer query;
    private final Layer key;
    private final Layer value;
    private final double dropout;
    private final String type;
    private final @Nullable Layer out;

    SelfAttention(Shape shape, Request request) {
        this.shape = shape;
        this.request = request;
        query = child("query", Layers.linear(shape.width(), shape.width()));
        key = child("key", Layers.linear(shape.width(), shape.width()));
        value = child("value", Layers.linear(shape.width(), shape.width()));
        child("dropout", Layers.dropout(shape.attentionDropout()));
        dropout = shape.attentionDropout();
        type = shape.prefix() + "SelfAttention";
        out = null;
    }

    /**
     * With other names and an output projection of its own.
     *
     * @param names of the four projections
     */
    SelfAttention(Shape shape, Request request, List<String> names) {
        this.shape = shape;
        this.request = request;
        query = child(names.get(0), Layers.linear(shape.width(), shape.width()));
        key = child(names.get(1), Layers.linear(shape.width(), shape.width()));
        value = child(names.get(2), Layers.linear(shape.width(), shape.width()));
        out = child(names.get(3), Layers.linear(shape.width(), shape.width()));
        child("dropout", Layers.dropout(shape.attentionDropout()));
        dropout = shape.attentionDropout();
        type = shape.prefix() + "SelfAttention";
    }

    @Override
    protected String type() {
        return type;
    }

    private Value heads(Scope s, Layer projection, Value x) {
        SymExpr[] sizes = {Request.BATCH, Request.SEQ, SymExpr.of(-1), SymExpr.of(shape.width() / shape.heads())};
        Value split = s.op("aten.view.default", "self", s.call(projection, x), "size", sizes);
        return s.op("aten.transpose.int", "self", split, "dim0", 1, "dim1", 2);
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("queries = self.query(x).view(*shape).transpose(1, 2)");
        Value queries = heads(s, query, in[0]);
        s.line("keys = self.key(x).view(*shape).transpose(1, 2)");
        Value keys = heads(s, key, in[0]);
        s.line("values = self.value(x).view(*shape).transpose(1, 2)");
        Value values = heads(s, value, in[0]);
        s.line("out, weights = attention_interface(self, queries, keys, values, mask)");
        Value[] made = request.eager()
                ? s.function("eager_attention_forward", () -> eager(s, queries, keys, values, in))
                : new Value[] {kernel(s, queries, keys, values, in)};
        s.line("out = out.reshape(batch, seq, -1).contiguous()");
        SymExpr[] joined = {Request.BATCH, Request.SEQ, SymExpr.of(-1)};
        made[0] = s.op("aten.reshape.default", "self", made[0], "shape", joined);
        if (out != null) {
            s.line("out = self.out_lin(out)");
            made[0] = s.call(out, made[0]);
        }
        return made;
    }

    private double scale() {
        return 1 / Math.sqrt((double) shape.width() / shape.heads());
    }

    private Value kernel(Scope s, Value q, Value k, Value v, Value... in) {
        Map<String, Object> call = arguments("query", q, "key", k, "value", v);
        if (in.length > 1) {
            call.put("attn_mask", in[1]);
        }
        call.put("dropout_p", s.training() ? dropout : 0.0);
        call.put("is_causal", false);
        call.put("scale", scale());
        return rowsFirst(s, s.op("aten.scaled_dot_product_attention.default", call));
    }

    private static Value rowsFirst(Scope s, Value attended) {
        Value turned = s.op("aten.transpose.int", "self", attended, "dim0", 1, "dim1", 2);
        return s.op("aten.contiguous.default", "self", turned);
    }

    private Value[] eager(Scope s, Value q, Value k, Value v, Value... in) {
        s.line("weights = torch.matmul(queries, keys.transpose(2, 3)) * scaling");
        Value turned = s.op("aten.transpose.int", "self", k, "dim0", 2, "dim1", 3);
        Value scores = s.op("aten.matmul.default", "self", q, "other", turned);
        Value weights = s.op("aten.mul.Tensor", "self", scores, "other", scale());
        if (in.length > 1) {
            s.line("weights = weights + mask");
            weights = s.op("aten.add.Tensor", "self", weights, "other", in[1]);
        }
        s.line("weights = softmax(weights, dim=-1)");
        weights = s.op("aten.softmax.int", "self", weights, "dim", -1);
        s.line("weights = dropout(weights, p=dropout, training=self.training)");
        weights = s.op("aten.dropout.default", "input", weights, "p", dropout, "train", s.training());
        s.line("out = torch.matmul(weights, values)");
        Value attended = s.op("aten.matmul.default", "self", weights, "other", v);
        s.line("out = out.transpose(1, 2).contiguous()");
        return new Value[] {rowsFirst(s, attended), weights};
    }
}
