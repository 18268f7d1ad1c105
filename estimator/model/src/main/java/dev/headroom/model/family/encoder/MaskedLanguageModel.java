package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import java.util.Set;

/** An encoder that scores the words of masked tokens. */
final class MaskedLanguageModel extends HeadedEncoder {
    /** Encoders beside which the head is called {@code cls}. */
    private static final Set<String> WITH_CLS = Set.of("bert", "deberta");

    /**
     * @param type class name
     * @param base the name of the encoder's module
     */
    MaskedLanguageModel(String type, Request request, String base, Layer encoder, Layer head) {
        super(type, request, base, encoder, WITH_CLS.contains(base) ? "cls" : "lm_head", head);
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("outputs = self.base(input_ids, attention_mask)");
        Value x = s.call(encoder, in[0]);
        s.line("scores = self.head(outputs[0])");
        Value logits = s.call(head, x);
        return Losses.scored(s, request.labelled(), logits, request.config().size("vocab_size"));
    }
}
