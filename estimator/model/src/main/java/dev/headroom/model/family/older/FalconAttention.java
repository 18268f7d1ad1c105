package dev.headroom.model.family.older;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.KeyValueCache;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotatedHeads;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;
import java.util.List;

/** {@code FalconAttention}: one projection, whose keys and values all heads or groups of them share. */
final class FalconAttention extends SeveralResults {
    private final AttentionShape shape;
    private final Request request;
    private final Pass pass;
    private final long groups;
    private final boolean recent;
    private final boolean shared;
    private final Layer projection;
    private final Layer dense;

    FalconAttention(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
        this.shape = shape;
        this.request = request;
        this.pass = pass;
        recent = c.flag("new_decoder_architecture", false);
        shared = c.flag("multi_query", true);
        groups = recent ? c.size("num_kv_heads", shape.heads()) : 1;
        c.divided("num_attention_heads", shape.heads(), "num_kv_heads", groups);
        long out = recent
                ? (2 * groups + shape.heads()) * shape.size()
                : shared ? shape.width() + 2 * shape.size() : 3 * shape.width();
        projection = child("query_key_value", new FalconLinear(shape.width(), out, shape.bias()));
        dense = child("dense", new FalconLinear(shape.width(), shape.width(), shape.bias()));
        child("attention_dropout", Layers.dropout(c.number("attention_dropout", 0)));
    }

    @Override
    protected String type() {
        return shape.type();
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("fused_qkv = self.query_key_value(x)");
        Value fused = s.call(projection, in[0]);
        s.line("queries, keys, values = self._split_heads(fused_qkv)");
        Value[] three = s.function("_split_heads", () -> split(s, fused));
        s.line("queries = queries.transpose(1, 2).reshape(batch, heads, seq, size)");
        Value q = heads(s, three[0], shape.heads());
        s.line("keys = keys.transpose(1, 2).reshape(batch, kv_heads, seq, size)");
        Value k = heads(s, three[1], shape.keys());
        s.line("values = values.transpose(1, 2).reshape(batch, kv_heads, seq, size)");
        Value v = heads(s, three[2], shape.keys());
        Value[] turned = RotatedHeads.write(s, q, k, pass, shape);
        Value[] kept = KeyValueCache.kept(s, request, shape, pass, turned[1], v);
        Value mask = pass.mask(shape.kind()).orElseThrow();
        Value[] attended = request.eager()
                ? eager(s, in[0], turned[0], kept[0], kept[1], mask)
                : new Value[] {kernel(s, turned[0], kept[0], kept[1], mask)};
        s.line("attn_output = attn_output.view(batch, heads, seq, size)");
        SymExpr[] four = {Request.BATCH, SymExpr.of(shape.heads()), request.length(), SymExpr.of(shape.size())};
        Value out = s.op("aten.view.default", "self", attended[0], "size", four);
        s.line("attn_output = attn_output.permute(0, 2, 1, 3)");
        out = s.op("aten.permute.default", "self", out, "dims", new long[] {0, 2, 1, 3});
        s.line("attn_output = attn_output.reshape(batch, seq, heads * size)");
        SymExpr[] joined = {Request.BATCH, request.length(), SymExpr.of(shape.width())};
        out = s.op("aten.reshape.default", "self", out, "shape", joined);
        s.line("attn_output = self.dense(attn_output)");
        out = s.call(dense, out);
        return attended.length == 1 ? new Value[] {out} : new Value[] {out, attended[1]};
    }

    private Value heads(Scope s, Value x, long count) {
        Value turned = s.op("aten.transpose.int", "self", x, "dim0", 1, "dim1", 2);
        SymExpr[] sizes = {Request.BATCH, SymExpr.of(count), request.length(), SymExpr.of(shape.size())};
        return s.op("aten.reshape.default", "self", turned, "shape", sizes);
    }

    private Value[] split(Scope s, Value fused) {
        SymExpr size = SymExpr.of(shape.size());
        SymExpr rest = SymExpr.of(-1);
        if (!recent && !shared) {
            s.line("fused_qkv = fused_qkv.view(batch, seq, self.num_heads, 3, self.head_dim)");
            SymExpr[] sizes = {Request.BATCH, request.length(), rest, SymExpr.of(3), size};
            Value all = s.op("aten.view.default", "self", fused, "size", sizes);
            s.line("return fused_qkv[..., 0, :], fused_qkv[..., 1, :], fused_qkv[..., 2, :]");
            Value[] out = new Value[3];
            for (int i = 0; i < out.length; i++) {
                out[i] = s.op("aten.select.int", "self", all, "dim", 3, "index", i);
            }
            return out;
        }
        if (!recent) {
            s.line("fused_qkv = fused_qkv.view(batch, seq, self.num_heads + 2, self.head_dim)");
            SymExpr[] sizes = {Request.BATCH, request.length(), rest, size};
            Value all = s.op("aten.view.default", "self", fused, "size", sizes);
            s.line("return fused_qkv[..., :-2, :], fused_qkv[..., [-2], :], fused_qkv[..., [-1], :]");
            Value q = s.op("aten.slice.Tensor", "self", all, "dim", 2, "start", 0, "end", -2);
            Value k = picked(s, all, 2);
            return new Value[] {q, k, picked(s, all, 2)};
        }
        s.line("qkv = fused_qkv.view(batch, seq, -1, self.num_heads // self.num_kv_heads + 2, self.head_dim)");
        SymExpr[] sizes = {Request.BATCH, request.length(), rest, SymExpr.of(shape.heads() / groups + 2), size};
        Value all = s.op("aten.view.default", "self", fused, "size", sizes);
        s.line("query = qkv[:, :, :, :-2]");
        Value q = s.op("aten.slice.Tensor", "self", all, "dim", 3, "start", 0, "end", -2);
        s.line("key = qkv[:, :, :, [-2]]");
        Value k = picked(s, all, 3);
        s.line("value = qkv[:, :, :, [-1]]");
        Value v = picked(s, all, 3);
        SymExpr[] like = {Request.BATCH, request.length(), SymExpr.of(groups), SymExpr.of(shape.heads() / groups), size
        };
        s.line("key = torch.broadcast_to(key, query.shape)");
        k = s.op("aten.broadcast_to.default", "self", k, "size", like);
        s.line("value = torch.broadcast_to(value, query.shape)");
        v = s.op("aten.broadcast_to.default", "self", v, "size", like);
        s.line("query, key, value = [x.flatten(2, 3) for x in (query, key, value)]");
        return new Value[] {flat(s, q), flat(s, k), flat(s, v)};
    }

    private static Value flat(Scope s, Value x) {
        return s.op("aten.flatten.using_ints", "self", x, "start_dim", 2, "end_dim", 3);
    }

    /** By a list of one number, which is a tensor on the device. */
    private static Value picked(Scope s, Value all, int dim) {
        Value at = s.op("aten.full.default", "size", new long[] {1}, "fill_value", -1, "dtype", DType.INT64);
        String[] indices = new String[dim + 1];
        indices[dim] = at.name();
        List<String> names = Arrays.asList(indices);
        return s.op("aten.index.Tensor", "self", all, "indices", new Argument.Values(names));
    }

    private static Value kernel(Scope s, Value q, Value k, Value v, Value mask) {
        s.line("attn_output = F.scaled_dot_product_attention(queries, keys, values, attn_mask=attention_mask)");
        return s.op(
                "aten.scaled_dot_product_attention.default",
                arguments("query", q, "key", k, "value", v, "attn_mask", mask, "dropout_p", 0.0));
    }

    private Value[] eager(Scope s, Value x, Value q, Value k, Value v, Value mask) {
        s.line("attention_scores = queries @ keys.transpose(-1, -2)");
        Value turned = s.op("aten.transpose.int", "self", k, "dim0", -1, "dim1", -2);
        Value scores = s.op("aten.matmul.default", "self", q, "other", turned);
        s.line("attention_scores /= math.sqrt(self.head_dim)");
        scores = s.op("aten.div_.Tensor", "self", scores, "other", Math.sqrt((double) shape.size()));
        s.line("attention_scores = F.softmax(attention_scores + attention_mask, dim=-1, dtype=x.dtype)");
        Value sum = s.op("aten.add.Tensor", "self", scores, "other", mask);
        Value shares = s.op("aten.softmax.int", "self", sum, "dim", -1, "dtype", new Argument.TypeOf(x.name()));
        s.line("attn_output = attention_scores @ values");
        return new Value[] {s.op("aten.matmul.default", "self", shares, "other", v), shares};
    }
}
