package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.Arrays;

/**
 * The look that some families take at the first and the last tokens when they are given no mask, to warn of padding
 * (transformers, modeling_utils.py, warn_if_padding_and_no_attention_mask).
 */
public final class PaddingWarning {
    private PaddingWarning() {}

    /** Writes it, where the config names a token that means padding. */
    public static void write(Scope s, Request request, Value ids) {
        boolean masked = request.step() != null || request.options().mask() != ModelOptions.Mask.NONE;
        if (masked || !request.config().has("pad_token_id")) {
            return;
        }
        s.line("self.warn_if_padding_and_no_attention_mask(input_ids, attention_mask)");
        s.function("warn_if_padding", () -> {
            s.line("if pad_token_id in input_ids[:, [-1, 0]]");
            Value ends = s.op("aten.full.default", "size", new long[] {2}, "fill_value", 0, "dtype", DType.INT64);
            Argument columns = new Argument.Values(Arrays.asList(null, ends.name()));
            Value tokens = s.op("aten.index.Tensor", "self", ids, "indices", columns);
            Value same = s.op("aten.eq.Scalar", "self", tokens, "other", 0);
            Value any = s.op("aten.any.default", "self", same);
            s.use(tokens, same, any); // the operand of "in" outlives what is made of it
            return any;
        });
    }
}
