package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;

/** {@code shift_tokens_right}: labels as the tokens that come before them, which a decoder is given. */
public final class ShiftedLabels {
    private ShiftedLabels() {}

    /** Writes it. */
    public static Value write(Scope s) {
        s.line("shifted_input_ids = input_ids.new_zeros(input_ids.shape)");
        SymExpr[] sizes = {Request.BATCH, Request.SEQ};
        Value shifted = s.op("aten.new_zeros.default", "self", s.given("labels"), "size", sizes);
        s.line("shifted_input_ids[..., 1:] = input_ids[..., :-1].clone()");
        Value first = s.op("aten.slice.Tensor", "self", s.given("labels"), "dim", 1, "start", 0, "end", -1);
        Value copy = s.op("aten.clone.default", "self", first);
        Value rest = s.op("aten.slice.Tensor", "self", shifted, "dim", 1, "start", 1, "end", Long.MAX_VALUE);
        s.op("aten.copy_.default", "self", rest, "src", copy);
        s.line("shifted_input_ids.masked_fill_(shifted_input_ids == -100, pad_token_id)");
        Value none = s.op("aten.eq.Scalar", "self", shifted, "other", -100);
        s.op("aten.masked_fill_.Scalar", "self", shifted, "mask", none, "value", 0);
        s.use(shifted);
        return shifted;
    }
}
