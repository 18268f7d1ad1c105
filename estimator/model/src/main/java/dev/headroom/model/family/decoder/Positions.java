package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** The numbers of the tokens, as models count them that are given none. */
public final class Positions {
    private Positions() {}

    /** {@code position_ids}, given or counted. */
    public static Value write(Scope s, Request request) {
        if (request.options().packing() || request.step() != null || s.isLet("position_ids")) {
            return s.given("position_ids");
        }
        s.line("position_ids = torch.arange(embedded.shape[1]) + past_seen_tokens");
        Value counted = s.op("aten.arange.default", "end", Request.SEQ);
        Value moved = s.op("aten.add.Tensor", "self", counted, "other", request.prefix());
        s.line("position_ids = position_ids.unsqueeze(0)");
        return s.op("aten.unsqueeze.default", "self", moved, "dim", 0);
    }
}
