package dev.headroom.model.family.text;

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
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;

/** {@code GPTJAttention}: each layer looks up its own table of rotations. */
final class GptJAttention extends SeveralResults {
    private static final long PLACES = 2048;
    private static final long TURNED = 64;

    private final AttentionShape shape;
    private final Request request;
    private final Pass pass;
    private final long turned;
    private final boolean partly;
    private final Layer keys;
    private final Layer values;
    private final Layer queries;
    private final Layer out;
    private final Layer scoresDropout;
    private final Layer dropout;

    GptJAttention(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
        this.shape = shape;
        this.request = request;
        this.pass = pass;
        long width = shape.width();
        partly = c.has("rotary_dim") || !c.names("rotary_dim");
        turned = partly ? c.size("rotary_dim", TURNED) : width;
        scoresDropout = child("attn_dropout", Layers.dropout(shape.dropout()));
        dropout = child("resid_dropout", Layers.dropout(c.number("resid_pdrop", 0)));
        keys = child("k_proj", Layers.linear(width, width, false));
        values = child("v_proj", Layers.linear(width, width, false));
        queries = child("q_proj", Layers.linear(width, width, false));
        out = child("out_proj", Layers.linear(width, width, false));
        long places = c.size("n_positions", c.size("max_position_embeddings", PLACES));
        scratch("embed_positions", DType.FLOAT32, places, turned);
    }

    @Override
    protected String type() {
        return shape.type();
    }

    private Value rows(Scope s, Value x) {
        SymExpr[] sizes = {Request.BATCH, SymExpr.of(-1), SymExpr.of(shape.heads()), SymExpr.of(shape.size())};
        return s.op("aten.view.default", "self", x, "size", sizes);
    }

    private static Value headsFirst(Scope s, Value x) {
        return s.op("aten.permute.default", "self", x, "dims", new long[] {0, 2, 1, 3});
    }

    private static Value cut(Scope s, Value x, int dim, long from, long to) {
        return s.op("aten.slice.Tensor", "self", x, "dim", dim, "start", from, "end", to);
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("query = self.q_proj(x)");
        Value q = s.call(queries, in[0]);
        s.line("keys = self.k_proj(x)");
        Value k = s.call(keys, in[0]);
        s.line("values = self.v_proj(x)");
        Value v = s.call(values, in[0]);
        s.line("query = self._split_heads(query, True)");
        q = rows(s, q);
        s.line("keys = self._split_heads(key, True)");
        k = rows(s, k);
        s.line("values = self._split_heads(value, False)");
        v = headsFirst(s, rows(s, v));
        s.line("embed_positions = self._get_embed_positions(position_ids)");
        SymExpr batch = request.options().packing() || request.step() != null ? Request.BATCH : SymExpr.of(1);
        SymExpr[] copies = {batch, SymExpr.of(1), SymExpr.of(1)};
        Value table = s.op("aten.repeat.default", "self", s.parameter("embed_positions"), "repeats", copies);
        s.line("repeated_position_ids = position_ids.unsqueeze(-1).repeat(1, 1, embed_positions.shape[-1])");
        Value column = s.op("aten.unsqueeze.default", "self", in[1], "dim", -1);
        Value ids = s.op("aten.repeat.default", "self", column, "repeats", new long[] {1, 1, turned});
        s.line("sincos = torch.gather(embed_positions, 1, repeated_position_ids).to(key.dtype)");
        Value found = s.op("aten.gather.default", "self", table, "dim", 1, "index", ids);
        Value both = s.op("aten.to.dtype", "self", found, "dtype", new Argument.TypeOf(k.name()));
        s.line("sin, cos = torch.split(sincos, sincos.shape[-1] // 2, dim=-1)");
        Value[] turns =
                s.ops("aten.split.Tensor", 2, Scope.arguments("self", both, "split_size", turned / 2, "dim", -1));
        Value[] placed = partly ? parts(s, k, q, turns) : whole(s, k, q, turns);
        s.line("keys = keys.permute(0, 2, 1, 3)");
        k = headsFirst(s, placed[0]);
        s.line("query = query.permute(0, 2, 1, 3)");
        q = headsFirst(s, placed[1]);
        Value[] kept = KeyValueCache.kept(s, request, shape, pass, k, v);
        s.line("weights, attended = self._attn(query, key, value, attention_mask)");
        Value query = q;
        Value[] attended = s.function("_attn", () -> attended(s, query, kept));
        s.line("attended = self._merge_heads(attended)");
        Value merged = s.op("aten.contiguous.default", "self", headsFirst(s, attended[0]));
        SymExpr[] joined = {Request.BATCH, SymExpr.of(-1), SymExpr.of(shape.width())};
        merged = s.op("aten.view.default", "self", merged, "size", joined);
        s.line("attended = self.out_proj(attended)");
        Value result = s.call(out, merged);
        s.line("attended = self.resid_dropout(attended)");
        return new Value[] {s.call(dropout, result), attended[1]};
    }

    private Value[] parts(Scope s, Value k, Value q, Value[] turns) {
        s.line("k_rot = key[:, :, :, : self.rotary_dim]");
        Value keyPart = cut(s, k, 3, 0, turned);
        s.line("k_pass = key[:, :, :, self.rotary_dim :]");
        Value keyRest = cut(s, k, 3, turned, Long.MAX_VALUE);
        s.line("q_rot = query[:, :, :, : self.rotary_dim]");
        Value queryPart = cut(s, q, 3, 0, turned);
        s.line("q_pass = query[:, :, :, self.rotary_dim :]");
        Value queryRest = cut(s, q, 3, turned, Long.MAX_VALUE);
        s.line("k_rot = apply_rotary_pos_emb(k_rot, sin, cos)");
        keyPart = placed(s, keyPart, turns);
        s.line("q_rot = apply_rotary_pos_emb(q_rot, sin, cos)");
        queryPart = placed(s, queryPart, turns);
        s.line("keys = torch.cat([k_rot, k_pass], dim=-1)");
        Value key = s.op("aten.cat.default", "tensors", new Value[] {keyPart, keyRest}, "dim", -1);
        s.line("query = torch.cat([q_rot, q_pass], dim=-1)");
        Value query = s.op("aten.cat.default", "tensors", new Value[] {queryPart, queryRest}, "dim", -1);
        s.use(keyPart, queryPart);
        return new Value[] {key, query};
    }

    private static Value[] whole(Scope s, Value k, Value q, Value[] turns) {
        s.line("keys = apply_rotary_pos_emb(key, sin, cos)");
        Value key = placed(s, k, turns);
        s.line("query = apply_rotary_pos_emb(query, sin, cos)");
        return new Value[] {key, placed(s, q, turns)};
    }

    /** {@code apply_rotary_pos_emb}. */
    private static Value placed(Scope s, Value x, Value[] turns) {
        return s.function("apply_rotary_pos_emb", () -> {
            s.line("sin = torch.repeat_interleave(sin[:, :, None, :], 2, 3)");
            Value sin = twice(s, turns[0]);
            s.line("cos = torch.repeat_interleave(cos[:, :, None, :], 2, 3)");
            Value cos = twice(s, turns[1]);
            s.line("return (tensor * cos) + (rotate_every_two(tensor) * sin)");
            Value direct = s.op("aten.mul.Tensor", "self", x, "other", cos);
            Value crossed = s.op("aten.mul.Tensor", "self", rotated(s, x), "other", sin);
            return s.op("aten.add.Tensor", "self", direct, "other", crossed);
        });
    }

    private static Value twice(Scope s, Value angles) {
        Value each = s.op("aten.unsqueeze.default", "self", angles, "dim", 2);
        return s.op("aten.repeat_interleave.self_int", "self", each, "repeats", 2, "dim", 3);
    }

    private static Value rotated(Scope s, Value x) {
        return s.function("rotate_every_two", () -> {
            s.line("x1 = x[:, :, :, ::2]");
            Value even = s.op("aten.slice.Tensor", "self", x, "dim", 3, "start", 0, "end", Long.MAX_VALUE, "step", 2);
            s.line("x2 = x[:, :, :, 1::2]");
            Value odd = s.op("aten.slice.Tensor", "self", x, "dim", 3, "start", 1, "end", Long.MAX_VALUE, "step", 2);
            s.line("x = torch.stack((-x2, x1), dim=-1)");
            Value less = s.op("aten.neg.default", "self", odd);
            Value pairs = s.op("aten.stack.default", "tensors", new Value[] {less, even}, "dim", -1);
            s.line("return x.flatten(-2)");
            return s.op("aten.flatten.using_ints", "self", pairs, "start_dim", -2);
        });
    }

    /** {@code _attn}: the result and the weights. */
    private Value[] attended(Scope s, Value q, Value[] kept) {
        s.line("query = query.to(torch.float32)");
        Value query = s.op("aten.to.dtype", "self", q, "dtype", DType.FLOAT32);
        s.line("key = key.to(torch.float32)");
        Value key = s.op("aten.to.dtype", "self", kept[0], "dtype", DType.FLOAT32);
        s.line("weights = torch.matmul(query, key.transpose(-1, -2))");
        Value turned = s.op("aten.transpose.int", "self", key, "dim0", -1, "dim1", -2);
        Value weights = s.op("aten.matmul.default", "self", query, "other", turned);
        s.line("weights = weights / self.scale_attn");
        weights = s.op("aten.div.Tensor", "self", weights, "other", 8.0);
        if (pass.mask(shape.kind()).isPresent()) {
            s.line("weights = weights + attention_mask");
            weights = s.op(
                    "aten.add.Tensor",
                    "self",
                    weights,
                    "other",
                    pass.mask(shape.kind()).orElseThrow());
        }
        s.line("weights = nn.functional.softmax(weights, dim=-1)");
        weights = s.op("aten.softmax.int", "self", weights, "dim", -1);
        s.line("weights = weights.to(value.dtype)");
        weights = s.op("aten.to.dtype", "self", weights, "dtype", new Argument.TypeOf(kept[1].name()));
        s.line("weights = self.attn_dropout(weights)");
        weights = s.call(scoresDropout, weights);
        s.line("attended = torch.matmul(weights, value)");
        return new Value[] {s.op("aten.matmul.default", "self", weights, "other", kept[1]), weights};
    }
}
