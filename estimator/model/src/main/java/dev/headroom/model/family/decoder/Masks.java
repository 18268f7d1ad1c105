package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.SymExpr;
import java.util.Optional;

/** The masks of attention, and the looks at values that find that none is needed (transformers, masking_utils.py). */
final class Masks {
    private Masks() {}

    static void write(Scope s, Request request, Pass pass, Value embedded, Value positions) {
        s.line("mask = create_causal_mask(embedded, attention_mask, position_ids)");
        if (!request.caches()) {
            packedSequences(s, positions);
        }
        pass.mask(Decoder.FULL, Optional.empty());
    }

    /** {@code find_packed_sequence_indices}: whether positions restart somewhere. */
    private static void packedSequences(Scope s, Value positions) {
        SymExpr[] all = {Request.BATCH, SymExpr.of(-1)};
        Value rows = s.op("aten.expand.default", "self", positions, "size", all);
        Value firsts = s.op("aten.slice.Tensor", "self", rows, "dim", 1, "start", 0, "end", 1);
        Value before = s.op("aten.sub.Tensor", "self", firsts, "other", 1);
        Value steps = s.op("aten.diff.default", "self", rows, "n", 1, "dim", -1, "prepend", before);
        Value jumps = s.op("aten.ne.Scalar", "self", steps, "other", 1);
        Value sums = s.op("aten.cumsum.default", "self", jumps, "dim", -1);
        Value lasts = s.op("aten.select.int", "self", sums, "dim", -1, "index", -1);
        Value none = s.op("aten.eq.Scalar", "self", lasts, "other", 0);
        s.op("aten.all.default", "self", none);
    }
}
