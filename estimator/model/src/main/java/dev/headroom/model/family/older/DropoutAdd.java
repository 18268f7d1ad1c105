package dev.headroom.model.family.older;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code dropout_add} (transformers, models/bloom/modeling_bloom.py and models/falcon/modeling_falcon.py). */
final class DropoutAdd {
    private DropoutAdd() {}

    /** @param p how much of {@code x} is dropped */
    static Value of(Scope s, Value x, Value residual, double p) {
        return s.function("dropout_add", () -> {
            s.line("out = F.dropout(x, p=prob, training=training)");
            Value kept = s.op("aten.dropout.default", "input", x, "p", p, "train", s.training());
            s.line("out = residual + out");
            return s.op("aten.add.Tensor", "self", residual, "other", kept);
        });
    }
}
