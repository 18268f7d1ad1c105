package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.EmbeddingDecoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Positions;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.family.part.NamedSequence;
import java.util.ArrayList;
import java.util.List;

/** GPT-J (transformers, models/gptj/modeling_gptj.py), whose attention is always one of plain operators. */
public final class GptJ extends EmbeddingDecoder {
    static final String CLASS = "transformers.models.gptj.modeling_gptj.GPTJ";

    private static final long VOCABULARY = 50_400;

    private final Request request;
    private final Pass pass;
    private final Layer dropout;
    private final List<Layer> blocks = new ArrayList<>();
    private final Layer norm;

    private GptJ(Request request, ModelConfig c, Pass pass) {
        super(CLASS + "Model", "wte", Layers.embedding(c.size("vocab_size", VOCABULARY), c.size("hidden_size")));
        this.request = request;
        this.pass = pass;
        long width = c.size("hidden_size");
        dropout = child("drop", Layers.dropout(c.number("embd_pdrop", 0)));
        ModuleList list = child("h", new ModuleList());
        AttentionShape shape = AttentionShape.of(c, CLASS + "Attention").withDropout(c.number("attn_pdrop", 0));
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            blocks.add(list.add(new Block(c, shape, request, pass)));
        }
        norm = child("ln_f", Layers.layerNorm(width));
    }

    /** The model that a config describes. */
    public static Layer of(Request asked) {
        Request request = asked.eagerly();
        ModelConfig c = Gpt2.renamed(request.config());
        Pass pass = new Pass();
        GptJ decoder = new GptJ(request, c, pass);
        return DecoderHeads.of(
                new DecoderHeads.Names(CLASS, "transformer", "classifier", false),
                request,
                pass,
                c.size("hidden_size"),
                decoder,
                () -> CausalLanguageModel.named(
                        CLASS + "ForCausalLM",
                        request,
                        pass,
                        c.size("vocab_size", VOCABULARY),
                        c.size("hidden_size"),
                        c.flag("tie_word_embeddings", false),
                        decoder,
                        "transformer",
                        "lm_head",
                        Scores.ofBiasedHead()));
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("inputs_embeds = self.wte(input_ids)");
        Value embedded = s.call(embeddings(), in[0]);
        Value positions = Positions.write(s, request);
        pass.mask(AttentionShape.FULL, Masks.causal(s, request, embedded, positions, Masks.NO_WINDOW));
        s.line("x = self.drop(inputs_embeds)");
        Value x = s.call(dropout, embedded);
        Value[] outputs = {x};
        for (Layer block : blocks) {
            s.line("outputs = block(x)");
            Value[] before = outputs;
            outputs = s.results(block, x, positions);
            s.use(before); // the variable's last value lives until then
            s.line("x = outputs[0]");
            x = outputs[0];
        }
        s.line("x = self.ln_f(x)");
        Value out = s.call(norm, x);
        s.use(embedded, positions);
        s.use(outputs);
        return out;
    }

    /** {@code GPTJBlock}: both parts side by side, behind one norm. Gives its states and the weights of attention. */
    private static final class Block extends dev.headroom.model.dsl.SeveralResults {
        private final Layer before;
        private final Layer attention;
        private final Layer feedForward;

        private Block(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
            long width = shape.width();
            long inner = c.size("n_inner", 4 * width);
            double dropped = c.number("resid_pdrop", 0);
            before = child("ln_1", Layers.layerNorm(width));
            attention = child("attn", new GptJAttention(c, shape, request, pass));
            feedForward = child(
                    "mlp",
                    new NamedSequence(CLASS + "MLP", "fc_in", "act", "fc_out", "dropout")
                            .with("fc_in", Layers.linear(width, inner))
                            .with("fc_out", Layers.linear(inner, width))
                            .with("act", Activations.of(c, "activation_function", "gelu_new"))
                            .with("dropout", Layers.dropout(dropped)));
        }

        @Override
        protected String type() {
            return CLASS + "Block";
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("x = self.ln_1(x)");
            Value x = s.call(before, in[0]);
            s.line("attn_weights, attn_outputs = self.attn(x)");
            Value[] attended = s.results(attention, x, in[1]);
            s.line("feed_forward_hidden_states = self.mlp(x)");
            Value inner = s.call(feedForward, x);
            s.line("x = attn_outputs + feed_forward_hidden_states + residual");
            Value both = s.op("aten.add.Tensor", "self", attended[0], "other", inner);
            Value out = s.op("aten.add.Tensor", "self", both, "other", in[0]);
            s.use(attended[0], inner);
            return new Value[] {out, attended[1]};
        }
    }
}
