package dev.headroom.model.family.statespace;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.EmbeddingDecoder;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.family.part.RmsNorm;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Mamba, Falcon Mamba and Mamba 2 as transformers runs them without the kernels of mamba-ssm and causal-conv1d, which
 * take less (models/mamba/modeling_mamba.py, models/falcon_mamba, models/mamba2).
 */
public final class Mamba extends EmbeddingDecoder {
    private static final long WIDTH = 768;
    private static final long VOCABULARY = 50_280;
    private static final long CHANNELS_A_STEP = 16;

    private final Request request;
    private final boolean looks;
    private final List<Layer> layers = new ArrayList<>();
    private final Layer norm;

    private Mamba(String prefix, long width, Request request, boolean looks, Supplier<Layer> mixer) {
        super(prefix + "Model", "embeddings", tokens(request.config(), width));
        this.request = request;
        this.looks = looks;
        ModelConfig c = request.config();
        ModuleList list = child("layers", new ModuleList());
        for (int i = 0; i < c.size("num_hidden_layers", looks ? 64 : 32); i++) {
            layers.add(list.add(new MambaBlock(prefix, width, request, mixer.get())));
        }
        norm = child("norm_f", norm(prefix, width, c));
    }

    private static Layer tokens(ModelConfig c, long width) {
        return Layers.embedding(c.size("vocab_size", VOCABULARY), width);
    }

    /** The norm before each layer's mixer, and the last. */
    static Layer norm(String prefix, long width, ModelConfig c) {
        return new RmsNorm(prefix + "RMSNorm", width, c.number("layer_norm_epsilon", 1e-5));
    }

    /** Mamba. */
    public static Layer one(Request request) {
        return of(request, "transformers.models.mamba.modeling_mamba.Mamba", false);
    }

    /** Falcon Mamba, which normalises what chooses the states. */
    public static Layer falcon(Request request) {
        return of(request, "transformers.models.falcon_mamba.modeling_falcon_mamba.FalconMamba", true);
    }

    /** Mamba 2, whose states are computed in chunks of tokens. */
    public static Layer two(Request request) {
        String prefix = "transformers.models.mamba2.modeling_mamba2.Mamba2";
        ChunkShape shape = ChunkShape.of(request.config());
        return of(request, prefix, shape.width(), true, () -> new ChunkMixer(shape, request));
    }

    private static Layer of(Request request, String prefix, boolean norms) {
        ModelConfig c = request.config();
        if (request.scenario().quant().any() && !norms) {
            throw new UserInputException(c.source() + ": transformers multiplies by weights of Mamba that bitsandbytes"
                    + " would have packed, and fails; leave `quant` out");
        }
        long width = c.size("hidden_size", WIDTH);
        MixerShape shape = new MixerShape(
                prefix,
                width,
                c.size("intermediate_size", c.size("expand", 2) * width),
                c.size("state_size", 16),
                rank(c, width),
                c.size("conv_kernel", 4),
                c.flag("use_conv_bias", true),
                c.flag("use_bias", false),
                norms);
        return of(request, prefix, width, false, () -> new MambaMixer(shape, request));
    }

    private static Layer of(Request request, String prefix, long width, boolean second, Supplier<Layer> mixer) {
        ModelConfig c = request.config();
        if (request.scenario().generation().any()
                || !request.training() && request.options().useCache()) {
            throw new UserInputException(c.source() + ": states that a cache keeps are not written for this family;"
                    + " leave out `generate` and `use_cache`");
        }
        if (request.scenario().kernels().compile()) {
            throw new UserInputException(
                    c.source() + ": `compile` is not written for models of state spaces; leave it out");
        }
        Pass pass = new Pass();
        Mamba decoder = new Mamba(prefix, width, request, second, mixer);
        return DecoderHeads.of(
                DecoderHeads.Names.usual(prefix),
                request,
                pass,
                width,
                decoder,
                () -> CausalLanguageModel.named(
                        prefix + "ForCausalLM",
                        request,
                        pass,
                        c.size("vocab_size", VOCABULARY),
                        width,
                        c.flag("tie_word_embeddings", !second),
                        decoder,
                        "backbone",
                        "lm_head",
                        Scores.widened()));
    }

    /** A number, or {@code "auto"}. */
    private static long rank(ModelConfig c, long width) {
        boolean auto = "auto".equals(c.entries().get("time_step_rank"));
        return auto ? rounded(width) : c.size("time_step_rank", rounded(width));
    }

    private static long rounded(long width) {
        return (width + CHANNELS_A_STEP - 1) / CHANNELS_A_STEP;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("inputs_embeds = self.embeddings(input_ids)");
        Value embedded = s.call(embeddings(), in[0]);
        if (looks && request.options().mask() != ModelOptions.Mask.NONE) {
            s.line("attention_mask = create_recurrent_attention_mask(inputs_embeds, attention_mask)");
            s.function("create_recurrent_attention_mask", () -> {
                s.line("if torch.all(attention_mask == 1)");
                Value ones = s.op("aten.eq.Scalar", "self", s.given("attention_mask"), "other", 1);
                return s.op("aten.all.default", "self", ones);
            });
        }
        Value x = embedded;
        s.line("x = mixer_block(x)");
        for (Layer layer : layers) {
            x = s.call(layer, x);
        }
        s.line("x = self.norm_f(x)");
        x = s.call(norm, x);
        s.use(embedded);
        return x;
    }
}
