package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions;
import java.util.ArrayList;
import java.util.List;

/** T5 and FLAN-T5, whose labels are as long as its inputs (transformers, models/t5/modeling_t5.py). */
public final class T5 extends SeveralResults {
    private final T5Shape shape;
    private final Layer encoder;
    private final Layer decoder;
    private final Layer head;
    private final boolean scales;

    private T5(Request request) {
        shape = T5Shape.of(request);
        ModelConfig c = request.config();
        if (Tasks.of(request) != ModelOptions.Task.AUTO || !request.labelled()) {
            throw new UserInputException(c.source() + ": of T5, Headroom writes the training of"
                    + " T5ForConditionalGeneration with the model's own loss; export the model for all else"
                    + " (headroom export-help)");
        }
        Layer shared = child("shared", Layers.embedding(shape.vocabulary(), shape.width()));
        long layers = c.size("num_layers", 6);
        encoder = child("encoder", new T5Stack(shape, false, layers, shared));
        decoder = child("decoder", new T5Stack(shape, true, c.size("num_decoder_layers", layers), shared));
        head = child("lm_head", Layers.linear(shape.width(), shape.vocabulary(), false));
        head.tie("weight", shared, "weight");
        scales = !c.modelType().equals("mt5") && c.flag("tie_word_embeddings", true);
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        return new T5(request);
    }

    @Override
    protected String type() {
        return T5Shape.CLASS + "ForConditionalGeneration";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("encoder_outputs = self.encoder(input_ids, attention_mask)");
        Value encoded = s.call(encoder, in[0]);
        s.line("decoder_input_ids = self._shift_right(labels)");
        Value shifted = s.function("_shift_right", () -> ShiftedLabels.write(s));
        s.line("decoder_outputs = self.decoder(decoder_input_ids, encoder_hidden_states)");
        Value decoded = s.call(decoder, shifted, encoded);
        Value x = decoded;
        if (scales) {
            s.line("sequence_output = sequence_output * (self.model_dim**-0.5)");
            x = s.op("aten.mul.Tensor", "self", decoded, "other", 1 / Math.sqrt((double) shape.width()));
        }
        s.line("lm_logits = self.lm_head(sequence_output)");
        Value logits = s.call(head, x);
        Value loss = Losses.loss(s, logits, shape.vocabulary());
        List<Value> out = new ArrayList<>(List.of(loss, logits));
        out.addAll(s.cached(shape.pass().cached()));
        out.add(encoded);
        s.use(decoded); // decoder_outputs
        return out.toArray(Value[]::new);
    }
}
