package dev.headroom.model.family.seq2seq;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.part.ModuleList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code T5Stack}: an encoder, or a decoder. */
final class T5Stack extends Layer {
    private final T5Shape shape;
    private final T5Pass pass = new T5Pass();
    private final boolean decodes;
    private final Layer tokens;
    private final List<Layer> blocks = new ArrayList<>();
    private final Layer norm;
    private final Layer dropout;

    /** @param shared holds the embeddings of tokens */
    T5Stack(T5Shape shape, boolean decodes, long layers, Layer shared) {
        this.shape = shape;
        this.decodes = decodes;
        tokens = child("embed_tokens", Layers.embedding(shape.vocabulary(), shape.width()));
        tokens.tie("weight", shared, "weight");
        ModuleList list = child("block", new ModuleList());
        for (int i = 0; i < layers; i++) {
            blocks.add(list.add(new T5Block(shape, pass, decodes, i == 0)));
        }
        norm = child("final_layer_norm", new T5Norm(shape));
        dropout = child("dropout", Layers.dropout(shape.dropout()));
    }

    @Override
    protected String type() {
        return T5Shape.CLASS + "Stack";
    }

    /** @param in tokens and, of a decoder, what the encoder made */
    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("inputs_embeds = self.embed_tokens(input_ids)");
        Value embedded = s.call(tokens, in[0]);
        Optional<Value> crossed = Optional.empty();
        if (decodes) {
            pass.states(in[1]);
            pass.own().mask(Masks.causal(s, shape.uncached(), embedded, null, Masks.NO_WINDOW));
            s.line("encoder_mask = create_bidirectional_mask(inputs_embeds, encoder_attention_mask)");
            crossed = Masks.bidirectional(s, shape.request(), embedded, Masks.NO_WINDOW);
            pass.encoder().mask(crossed);
        } else {
            s.line("attention_mask = create_bidirectional_mask(inputs_embeds, attention_mask)");
            pass.own().mask(Masks.bidirectional(s, shape.request(), embedded, Masks.NO_WINDOW));
        }
        s.line("x = self.dropout(inputs_embeds)");
        Value x = s.call(dropout, embedded);
        Value[] made = {x};
        for (Layer block : blocks) {
            s.line("x, self_attention_position_bias, cross_attention_position_bias = layer_module(x)");
            made = s.results(block, x);
            x = made[0];
            pass.own().bias(made[1]);
            if (decodes) {
                pass.encoder().bias(made[2]);
            }
        }
        s.line("x = self.final_layer_norm(x)");
        x = s.call(norm, x);
        s.line("x = self.dropout(x)");
        x = s.call(dropout, x);
        s.use(embedded);
        for (int i = 1; i < made.length; i++) {
            s.use(made[i]);
        }
        return x;
    }
}
