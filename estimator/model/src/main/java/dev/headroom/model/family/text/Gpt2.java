package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.EmbeddingDecoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.PaddingWarning;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Positions;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.part.ModuleList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** GPT-2 (transformers, models/gpt2/modeling_gpt2.py). */
public final class Gpt2 extends EmbeddingDecoder {
    static final String CLASS = "transformers.models.gpt2.modeling_gpt2.GPT2";

    private final Request request;
    private final Pass pass;
    private final Layer places;
    private final Layer dropout;
    private final List<Layer> blocks = new ArrayList<>();
    private final Layer norm;

    private Gpt2(Request request, ModelConfig c, Pass pass) {
        super(CLASS + "Model", "wte", Layers.embedding(c.size("vocab_size", 50257), c.size("hidden_size")));
        this.request = request;
        this.pass = pass;
        long width = c.size("hidden_size");
        places = child("wpe", Layers.embedding(c.size("n_positions", c.size("max_position_embeddings", 1024)), width));
        dropout = child("drop", Layers.dropout(c.number("embd_pdrop", 0.1)));
        ModuleList list = child("h", new ModuleList());
        AttentionShape shape = AttentionShape.of(c, CLASS + "Attention")
                .withDropout(c.number("attn_pdrop", 0.1))
                .withNarrow(true);
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            blocks.add(list.add(Gpt2Block.of(c, shape, request, pass)));
        }
        norm = child("ln_f", Layers.layerNorm(width));
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        ModelConfig c = renamed(request.config());
        Pass pass = new Pass();
        Gpt2 decoder = new Gpt2(request, c, pass);
        return DecoderHeads.around(
                new DecoderHeads.Names(CLASS, "transformer", "classifier", false),
                "LMHeadModel",
                request,
                pass,
                c.size("vocab_size", 50257),
                c.size("hidden_size"),
                true,
                decoder);
    }

    /** Under the names that other families have. */
    public static ModelConfig renamed(ModelConfig config) {
        return config.renamed(
                Map.of("n_embd", "hidden_size", "n_layer", "num_hidden_layers", "n_head", "num_attention_heads"));
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        PaddingWarning.write(s, request, in[0]);
        s.line("embedded = self.wte(input_ids)");
        Value embedded = s.call(embeddings(), in[0]);
        Value positions = Positions.write(s, request);
        s.line("position_embeds = self.wpe(position_ids)");
        Value placed = s.call(places, positions);
        s.line("x = embedded + position_embeds");
        Value x = s.op("aten.add.Tensor", "self", embedded, "other", placed);
        pass.mask(AttentionShape.FULL, Masks.causal(s, request, embedded, positions, Masks.NO_WINDOW));
        s.line("x = self.drop(x)");
        x = s.call(dropout, x);
        s.line("x = block(x)");
        for (Layer block : blocks) {
            x = s.call(block, x);
        }
        s.line("x = self.ln_f(x)");
        x = s.call(norm, x);
        s.use(embedded, placed);
        return x;
    }
}
