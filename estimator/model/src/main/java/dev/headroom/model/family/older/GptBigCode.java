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
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.family.text.Gpt2;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;

/** StarCoder and SantaCoder (transformers, models/gpt_bigcode/modeling_gpt_bigcode.py). */
public final class GptBigCode extends EmbeddingDecoder {
    static final String CLASS = "transformers.models.gpt_bigcode.modeling_gpt_bigcode.GPTBigCode";

    private static final long VOCABULARY = 50_257;

    private final Request request;
    private final Pass pass;
    private final Layer places;
    private final Layer dropout;
    private final List<Layer> blocks = new ArrayList<>();
    private final Layer norm;
    private final SymExpr[] whole;

    private GptBigCode(Request request, ModelConfig c, Pass pass) {
        super(CLASS + "Model", "wte", Layers.embedding(c.size("vocab_size", VOCABULARY), c.size("hidden_size")));
        this.request = request;
        this.pass = pass;
        if (c.flag("add_cross_attention", false)) {
            throw new UserInputException(
                    c.source() + ": GPTBigCode with cross-attention is not written; export the model instead");
        }
        long width = c.size("hidden_size");
        long longest = c.size("n_positions", c.size("max_position_embeddings", 1024));
        scratch("bias", DType.BOOL, longest, longest);
        places = child("wpe", Layers.embedding(longest, width));
        dropout = child("drop", Layers.dropout(c.number("embd_pdrop", 0.1)));
        ModuleList list = child("h", new ModuleList());
        long keys = c.flag("multi_query", true) ? 1 : c.size("num_attention_heads");
        AttentionShape shape = AttentionShape.of(c.with("num_key_value_heads", keys), CLASS + "Attention")
                .withDropout(c.number("attn_pdrop", 0.1));
        AttentionShape scaled = c.flag("scale_attn_weights", true) ? shape : shape.withScale(1);
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            blocks.add(list.add(GptBigCodeBlock.of(c, scaled, request, pass)));
        }
        norm = child("ln_f", Layers.layerNorm(width));
        whole = new SymExpr[] {Request.BATCH, request.length(), SymExpr.of(width)};
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        ModelConfig c = Gpt2.renamed(request.config());
        Pass pass = new Pass();
        return DecoderHeads.around(
                new DecoderHeads.Names(CLASS, "transformer", "classifier", false),
                "ForCausalLM",
                request,
                pass,
                c.size("vocab_size", VOCABULARY),
                c.size("hidden_size"),
                true,
                new GptBigCode(request, c, pass));
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("inputs_embeds = self.wte(input_ids)");
        Value embedded = s.call(embeddings(), in[0]);
        Value positions = Positions.write(s, request);
        pass.mask(AttentionShape.FULL, Masks.causal(s, request, embedded, positions, Masks.NO_WINDOW));
        s.line("position_embeds = self.wpe(position_ids)");
        Value placed = s.call(places, positions);
        s.line("x = inputs_embeds + position_embeds");
        Value x = s.op("aten.add.Tensor", "self", embedded, "other", placed);
        s.line("x = self.drop(x)");
        x = s.call(dropout, x);
        s.line("x = block(x)");
        for (Layer block : blocks) {
            x = s.call(block, x);
        }
        s.line("x = self.ln_f(x)");
        x = s.call(norm, x);
        s.line("x = x.view(output_shape)");
        x = s.op("aten.view.default", "self", x, "size", whole);
        s.use(embedded, placed);
        return x;
    }
}
