package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.TextModel;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** OPT (transformers, models/opt/modeling_opt.py). */
public final class Opt extends Layer implements TextModel {
    static final String CLASS = "transformers.models.opt.modeling_opt.OPT";

    private final Decoder decoder;

    private Opt(Request request, Pass pass) {
        decoder = child("decoder", new Decoder(request, pass));
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        ModelConfig c = request.config();
        Pass pass = new Pass();
        Opt decoder = new Opt(request, pass);
        return DecoderHeads.around(
                new DecoderHeads.Names(CLASS, "model", "classifier", true),
                "ForCausalLM",
                request,
                pass,
                c.size("vocab_size"),
                c.size("word_embed_proj_dim", c.size("hidden_size")),
                true,
                decoder);
    }

    @Override
    public Layer embeddings() {
        return decoder.tokens;
    }

    @Override
    protected String type() {
        return CLASS + "Model";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("outputs = self.decoder(input_ids, attention_mask)");
        return s.call(decoder, in[0]);
    }

    /** {@code OPTLearnedPositionalEmbedding}: two places are left out. */
    private static final class Places extends Layer {
        private Places(long longest, long width) {
            parameter("weight", longest + 2, width);
        }

        @Override
        protected String type() {
            return CLASS + "LearnedPositionalEmbedding";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return super().forward(position_ids + self.offset)");
            Value moved = s.op("aten.add.Tensor", "self", in[0], "other", 2);
            return s.op("aten.embedding.default", "weight", s.parameter("weight"), "indices", moved);
        }
    }

    /** {@code OPTDecoder}. */
    private static final class Decoder extends Layer {
        private final Request request;
        private final Pass pass;
        private final Layer tokens;
        private final Layer places;
        private final @Nullable Layer out;
        private final @Nullable Layer in;
        private final @Nullable Layer norm;
        private final List<Layer> layers = new ArrayList<>();

        private Decoder(Request request, Pass pass) {
            this.request = request;
            this.pass = pass;
            ModelConfig c = request.config();
            AttentionShape shape = AttentionShape.of(c, CLASS + "Attention")
                    .withScale(1)
                    .withBias(c.flag("enable_bias", true))
                    .withOutBias(c.flag("enable_bias", true));
            long narrow = c.size("word_embed_proj_dim", shape.width());
            tokens = child("embed_tokens", Layers.embedding(c.size("vocab_size"), narrow));
            places = child("embed_positions", new Places(c.size("max_position_embeddings", 2048), shape.width()));
            boolean projects = narrow != shape.width();
            out = projects ? child("project_out", Layers.linear(shape.width(), narrow, false)) : null;
            in = projects ? child("project_in", Layers.linear(narrow, shape.width(), false)) : null;
            boolean before = c.flag("do_layer_norm_before", true);
            norm = before && !c.flag("_remove_final_layer_norm", false)
                    ? child("final_layer_norm", Layers.layerNorm(shape.width()))
                    : null;
            ModuleList list = child("layers", new ModuleList());
            for (int i = 0; i < c.size("num_hidden_layers"); i++) {
                layers.add(list.add(new OptLayer(c, shape, request, pass, before)));
            }
        }

        @Override
        protected String type() {
            return CLASS + "Decoder";
        }

        @Override
        protected Value forward(Scope s, Value... given) {
            s.line("inputs_embeds = self.embed_tokens(input_ids)");
            Value embedded = s.call(tokens, given[0]);
            Value mask = mask(s);
            Value positions = positions(s, mask);
            pass.mask(AttentionShape.FULL, Masks.causal(s, request, embedded, null, Masks.NO_WINDOW));
            s.line("pos_embeds = self.embed_positions(attention_mask, past_seen_tokens, position_ids)");
            Value placed = s.call(places, positions);
            if (in != null) {
                s.line("inputs_embeds = self.project_in(inputs_embeds)");
                embedded = s.call(in, embedded);
            }
            s.line("x = inputs_embeds + pos_embeds");
            Value x = s.op("aten.add.Tensor", "self", embedded, "other", placed);
            s.line("x = decoder_layer(x)");
            for (Layer layer : layers) {
                x = s.call(layer, x);
            }
            if (norm != null) {
                s.line("x = self.final_layer_norm(x)");
                x = s.call(norm, x);
            }
            if (out != null) {
                s.line("x = self.project_out(x)");
                x = s.call(out, x);
            }
            s.use(embedded, mask, positions, placed);
            return x;
        }

        private Value mask(Scope s) {
            if (request.step() != null || request.options().mask() != ModelOptions.Mask.NONE) {
                return s.given("attention_mask");
            }
            s.line("attention_mask = torch.ones(batch, seq_length)");
            SymExpr[] sizes = {Request.BATCH, Request.SEQ};
            Value ones = s.op("aten.ones.default", "size", sizes, "dtype", DType.FLOAT32);
            s.let("attention_mask", ones);
            return ones;
        }

        private Value positions(Scope s, Value mask) {
            if (request.step() != null || request.options().packing()) {
                return s.given("position_ids");
            }
            s.line("position_ids = torch.cumsum(attention_mask, dim=1)");
            Value sums = s.op("aten.cumsum.default", "self", mask, "dim", 1);
            s.line("position_ids = (position_ids * attention_mask - 1).long()");
            Value counted = s.op("aten.mul.Tensor", "self", sums, "other", mask);
            Value moved = s.op("aten.sub.Tensor", "self", counted, "other", 1);
            Value numbers = s.op("aten.to.dtype", "self", moved, "dtype", DType.INT64);
            s.line("position_ids = position_ids[:, past_seen_tokens:]");
            return s.op("aten.slice.Tensor", "self", numbers, "dim", 1, "start", 0, "end", Long.MAX_VALUE);
        }
    }
}
