package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Rotations;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;

/** {@code VisionAttention} of Qwen: a patch sees the patches of its image, or of its window. */
final class QwenVisionAttention extends Layer {
    private static final int THREE = 3;

    private final String type;
    private final Request request;
    private final long heads;
    private final long size;
    private final long[] parts;
    private final Layer together;
    private final Layer out;

    /** @param parts patches of one image that see each other, one part after the other */
    QwenVisionAttention(String type, Request request, long width, long heads, long[] parts) {
        this.type = type;
        this.request = request;
        this.heads = heads;
        this.size = width / heads;
        this.parts = parts.clone();
        together = child("qkv", Layers.linear(width, THREE * width));
        out = child("proj", Layers.linear(width, width));
    }

    @Override
    protected String type() {
        return type;
    }

    /** @param in states, where parts begin, cosines, sines */
    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("q, k, v = self.qkv(x).reshape(seq_length, 3, self.num_heads, -1).permute(1, 0, 2, 3).unbind(0)");
        Value x = s.call(together, in[0]);
        x = s.op("aten.reshape.default", "self", x, "shape", new long[] {-1, THREE, heads, size});
        x = s.op("aten.permute.default", "self", x, "dims", new long[] {1, 0, 2, THREE});
        Value[] three = s.ops("aten.unbind.int", THREE, Scope.arguments("self", x, "dim", 0));
        s.line("q, k = apply_rotary_pos_emb_vision(q, k, cos, sin)");
        Value[] turned = s.function("apply_rotary_pos_emb_vision", () -> turned(s, three, in[2], in[THREE]));
        s.line("q = q.transpose(0, 1).unsqueeze(0)");
        Value q = headsFirst(s, turned[0]);
        s.line("k = k.transpose(0, 1).unsqueeze(0)");
        Value k = headsFirst(s, turned[1]);
        s.line("v = v.transpose(0, 1).unsqueeze(0)");
        Value v = headsFirst(s, three[2]);
        s.line("lengths = cu_seqlens[1:] - cu_seqlens[:-1]");
        Value ends = s.op("aten.slice.Tensor", "self", in[1], "dim", 0, "start", 1, "end", Long.MAX_VALUE);
        Value starts = s.op("aten.slice.Tensor", "self", in[1], "dim", 0, "start", 0, "end", -1);
        Value lengths = s.op("aten.sub.Tensor", "self", ends, "other", starts);
        s.line("attn_outputs = [attention_interface(self, q, k, v)[0] for q, k, v in zip(*splits)]");
        Value each = s.op(
                "transformers.attention_in_parts.default",
                "query",
                q,
                "key",
                k,
                "value",
                v,
                "lengths",
                parts,
                "eager",
                request.eager(),
                "train",
                s.training());
        s.line("attn_output = torch.cat(attn_outputs, dim=1)");
        Value all = s.op("transformers.joined_list.default", "list", each, "dim", 1);
        s.line("attn_output = attn_output.reshape(seq_length, -1).contiguous()");
        all = s.op("aten.reshape.default", "self", all, "shape", new long[] {-1, heads * size});
        s.line("attn_output = self.proj(attn_output)");
        Value result = s.call(out, all);
        s.use(q, k, v, lengths, each);
        return result;
    }

    private Value[] turned(Scope s, Value[] three, Value cosines, Value sines) {
        s.line("q, k = q.float(), k.float()");
        Value q = s.op("aten.to.dtype", "self", three[0], "dtype", DType.FLOAT32);
        Value k = s.op("aten.to.dtype", "self", three[1], "dtype", DType.FLOAT32);
        s.line("cos, sin = cos.unsqueeze(-2).float(), sin.unsqueeze(-2).float()");
        Value cos = s.op("aten.unsqueeze.default", "self", cosines, "dim", -2);
        Value sin = s.op("aten.unsqueeze.default", "self", sines, "dim", -2);
        s.line("q_embed = (q * cos) + (rotate_half(q) * sin)");
        Value turnedQueries = Rotations.turned(s, q, cos, sin, size);
        s.line("k_embed = (k * cos) + (rotate_half(k) * sin)");
        Value turnedKeys = Rotations.turned(s, k, cos, sin, size);
        s.line("q_embed = q_embed.to(orig_q_dtype)");
        Argument likeQueries = new Argument.TypeOf(three[0].name());
        Value queries = s.op("aten.to.dtype", "self", turnedQueries, "dtype", likeQueries);
        s.line("k_embed = k_embed.to(orig_k_dtype)");
        Argument likeKeys = new Argument.TypeOf(three[1].name());
        Value keys = s.op("aten.to.dtype", "self", turnedKeys, "dtype", likeKeys);
        s.use(q, k);
        return new Value[] {queries, keys};
    }

    private static Value headsFirst(Scope s, Value x) {
        Value turned = s.op("aten.transpose.int", "self", x, "dim0", 0, "dim1", 1);
        return s.op("aten.unsqueeze.default", "self", turned, "dim", 0);
    }
}
