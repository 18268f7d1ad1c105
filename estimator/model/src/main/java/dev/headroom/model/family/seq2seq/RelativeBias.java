package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.DType;

/** {@code compute_bias}: what the buckets of distances between tokens are worth, for each head. */
final class RelativeBias {
    private RelativeBias() {}

    /**
     * Writes it, for tokens that all see each other or none that come later.
     *
     * @param bias looks buckets up
     */
    static Value write(Scope s, T5Shape shape, boolean bidirectional, Layer bias) {
        s.line("context_position = torch.arange(query_length)[:, None] + past_seen_tokens");
        Value counted = s.op("aten.arange.default", "end", Request.SEQ, "dtype", DType.INT64);
        Value column = s.op("aten.unsqueeze.default", "self", counted, "dim", 1);
        Value context = s.op("aten.add.Tensor", "self", column, "other", 0);
        s.line("memory_position = torch.arange(key_length)[None, :]");
        Value again = s.op("aten.arange.default", "end", Request.SEQ, "dtype", DType.INT64);
        Value memory = s.op("aten.unsqueeze.default", "self", again, "dim", 0);
        s.line("relative_position = memory_position - context_position");
        Value relative = s.op("aten.sub.Tensor", "self", memory, "other", context);
        s.line("relative_position_bucket = self._relative_position_bucket(relative_position)");
        Value bucket = s.function("_relative_position_bucket", () -> buckets(s, shape, bidirectional, relative));
        s.line("values = self.relative_attention_bias(relative_position_bucket)");
        Value values = s.call(bias, bucket);
        s.line("values = values.permute([2, 0, 1]).unsqueeze(0)");
        Value turned = s.op("aten.permute.default", "self", values, "dims", new long[] {2, 0, 1});
        return s.op("aten.unsqueeze.default", "self", turned, "dim", 0);
    }

    private static Value buckets(Scope s, T5Shape shape, boolean bidirectional, Value given) {
        long count = bidirectional ? shape.buckets() / 2 : shape.buckets();
        Value sum = null;
        Value relative;
        if (bidirectional) {
            s.line("relative_buckets += (relative_position > 0).to(torch.long) * num_buckets");
            Value later = s.op("aten.gt.Scalar", "self", given, "other", 0);
            Value wide = T5Attention.numbers(s, later);
            Value scaled = s.op("aten.mul.Tensor", "self", wide, "other", count);
            sum = s.op("aten.add.Tensor", "self", scaled, "other", 0);
            s.line("relative_position = torch.abs(relative_position)");
            relative = s.op("aten.abs.default", "self", given);
        } else {
            s.line("relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))");
            Value zeros = s.op("aten.zeros_like.default", "self", given);
            Value least = s.op("aten.minimum.default", "self", given, "other", zeros);
            relative = s.op("aten.neg.default", "self", least);
        }
        long exact = count / 2;
        s.line("is_small = relative_position < max_exact");
        Value small = s.op("aten.lt.Scalar", "self", relative, "other", exact);
        s.line("large = max_exact + (torch.log(relative_position.float() / max_exact) / c * d).to(torch.long)");
        Value numbers = s.op("aten.to.dtype", "self", relative, "dtype", DType.FLOAT32);
        Value share = s.op("aten.div.Tensor", "self", numbers, "other", exact);
        Value log = s.op("aten.log.default", "self", share);
        Value scaled = s.op("aten.div.Tensor", "self", log, "other", 2.0);
        Value spread = s.op("aten.mul.Tensor", "self", scaled, "other", count - exact);
        Value whole = T5Attention.numbers(s, spread);
        Value large = s.op("aten.add.Tensor", "self", whole, "other", exact);
        s.line("large = torch.min(large, torch.full_like(large, num_buckets - 1))");
        Value most = s.op("aten.full_like.default", "self", large, "fill_value", count - 1);
        large = s.op("aten.minimum.default", "self", large, "other", most);
        s.line("relative_buckets += torch.where(is_small, relative_position, large)");
        Value chosen = s.op("aten.where.self", "condition", small, "self", relative, "other", large);
        return sum == null
                ? s.op("aten.add.Tensor", "self", chosen, "other", 0)
                : s.op("aten.add_.Tensor", "self", sum, "other", chosen);
    }
}
