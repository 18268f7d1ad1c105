package dev.headroom.model.family.older;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.EmbeddingDecoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Positions;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.part.ModuleList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Falcon with rotary positions: 7B, 11B, 40B, 180B (transformers, models/falcon/modeling_falcon.py). */
public final class Falcon extends EmbeddingDecoder {
    static final String CLASS = "transformers.models.falcon.modeling_falcon.Falcon";

    private final Request request;
    private final Pass pass;
    private final List<Layer> blocks = new ArrayList<>();
    private final Layer norm;
    private final Layer rotary;

    private Falcon(Request request, Pass pass) {
        super(CLASS + "Model", "word_embeddings", tokens(request.config()));
        this.request = request;
        this.pass = pass;
        ModelConfig c = request.config();
        if (c.flag("alibi", false)) {
            throw new UserInputException(
                    c.source() + ": Falcon with alibi is not written; export the model instead (headroom export-help)");
        }
        long heads = c.size("num_attention_heads");
        boolean recent = c.flag("new_decoder_architecture", false);
        boolean shared = recent || !c.flag("multi_query", true);
        AttentionShape shape = AttentionShape.of(
                        c.with("num_key_value_heads", shared ? heads : 1L), CLASS + "Attention")
                .withDropout(0)
                .withBias(c.flag("bias", false));
        ModuleList list = child("h", new ModuleList());
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            blocks.add(list.add(new FalconBlock(c, shape, request, pass)));
        }
        norm = child("ln_f", Layers.layerNorm(shape.width()));
        rotary = child("rotary_emb", new RotaryEmbedding(CLASS + "RotaryEmbedding", request, shape.size()));
    }

    private static Layer tokens(ModelConfig c) {
        return Layers.embedding(c.size("vocab_size"), c.size("hidden_size"));
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        ModelConfig c = request.config();
        Pass pass = new Pass();
        Falcon decoder = new Falcon(request, pass);
        return DecoderHeads.around(
                new DecoderHeads.Names(CLASS, "transformer", "classifier", false),
                "ForCausalLM",
                request,
                pass,
                c.size("vocab_size"),
                c.size("hidden_size"),
                true,
                decoder);
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("inputs_embeds = self.word_embeddings(input_ids)");
        Value embedded = s.call(embeddings(), in[0]);
        Value positions = Positions.write(s, request);
        pass.mask(AttentionShape.FULL, Optional.of(Masks.always(s, request, embedded)));
        s.line("position_embeddings = self.rotary_emb(hidden_states, position_ids)");
        Value[] turns = s.results(rotary, embedded, positions);
        pass.rotate(AttentionShape.FULL, new Pass.Rotation(turns[0], turns[1]));
        Value x = embedded;
        Value[] outputs = {x};
        for (Layer block : blocks) {
            s.line("outputs = block(x)");
            Value[] before = outputs;
            outputs = s.results(block, x);
            s.use(before); // the variable's last value lives until then
            s.line("x = outputs[0]");
            x = outputs[0];
        }
        s.line("x = self.ln_f(x)");
        Value out = s.call(norm, x);
        s.use(embedded);
        s.use(outputs);
        return out;
    }
}
