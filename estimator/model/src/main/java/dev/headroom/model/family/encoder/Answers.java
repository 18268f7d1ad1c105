package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;

/** An encoder that scores where answers begin and end. */
final class Answers extends HeadedEncoder {
    /**
     * @param type class name
     * @param base the name of the encoder's module
     */
    Answers(String type, Request request, String base, Layer encoder) {
        super(type, request, base, encoder, "qa_outputs", scores(request.config()));
    }

    private static Layer scores(ModelConfig c) {
        return Layers.linear(c.size("hidden_size"), Tasks.classes(c));
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("outputs = self.base(input_ids, attention_mask)");
        Value made = s.call(encoder, in[0]);
        s.line("logits = self.qa_outputs(outputs[0])");
        Value logits = s.call(head, made);
        Value[] out = Losses.spans(s, request.labelled(), logits);
        s.use(made); // outputs
        return out;
    }
}
