package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.ArrayList;
import java.util.List;

/** Token embeddings, layers, and a last norm. */
public final class Decoder extends Layer {
    /** The kind of layers whose queries see all that came before. */
    public static final String FULL = "full_attention";

    private final String type;
    private final Request request;
    private final Pass pass;
    private final Layer embeddings;
    private final List<Layer> layers = new ArrayList<>();
    private final Layer norm;
    private final Layer rotary;

    /** @param type class name */
    public Decoder(
            String type,
            Request request,
            Pass pass,
            long vocabulary,
            long width,
            List<? extends Layer> layers,
            Layer norm,
            Layer rotary) {
        this.type = type;
        this.request = request;
        this.pass = pass;
        embeddings = child("embed_tokens", Layers.embedding(vocabulary, width));
        ModuleList list = child("layers", new ModuleList());
        layers.forEach(layer -> this.layers.add(list.add(layer)));
        this.norm = child("norm", norm);
        this.rotary = child("rotary_emb", rotary);
    }

    Layer embeddings() {
        return embeddings;
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("embedded = self.embed_tokens(input_ids)");
        Value x = s.call(embeddings, in[0]);
        Value positions = Positions.write(s, request);
        pass.mask(FULL, Masks.causal(s, request, x, positions, Masks.NO_WINDOW));
        s.line("position_embeddings = self.rotary_emb(x, position_ids)");
        Value[] turns = s.results(rotary, x, positions);
        pass.rotate(FULL, new Pass.Rotation(turns[0], turns[1]));
        s.line("x = layer(x, mask, position_embeddings)");
        for (Layer layer : layers) {
            x = s.call(layer, x);
        }
        s.line("x = self.norm(x)");
        return s.call(norm, x);
    }
}
