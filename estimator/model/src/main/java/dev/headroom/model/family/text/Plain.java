package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.DecoderLayer;
import dev.headroom.model.family.part.GatedFeedForward;
import dev.headroom.model.family.part.RmsNorm;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** What most families share with Llama: the norms, the layers and how they are put together. */
final class Plain {
    final Request request;
    final ModelConfig config;
    final Pass pass = new Pass();

    /** Class names begin with it. */
    final String prefix;

    final long width;
    final double eps;

    private final boolean wideNorms;

    Plain(Request request, String prefix, double eps) {
        this(request, prefix, eps, false);
    }

    /** @param wideNorms whether norms apply their weight in float32 */
    Plain(Request request, String prefix, double eps, boolean wideNorms) {
        this.wideNorms = wideNorms;
        this.request = request;
        this.config = request.config();
        this.prefix = prefix;
        this.width = config.size("hidden_size");
        this.eps = config.number("rms_norm_eps", eps);
    }

    RmsNorm norm(long size) {
        return new RmsNorm(prefix + "RMSNorm", size, eps, wideNorms);
    }

    GatedFeedForward feedForward(boolean bias) {
        return feedForward(config.size("intermediate_size"), bias);
    }

    GatedFeedForward feedForward(long hidden, boolean bias) {
        return new GatedFeedForward(prefix + "MLP", width, hidden, bias, Activations.of(config, "hidden_act", "silu"));
    }

    DecoderLayer layer(Layer attention, Layer feedForward) {
        return new DecoderLayer(prefix + "DecoderLayer", attention, feedForward, norm(width), norm(width));
    }

    /** As many layers as the config says, each with its number. */
    List<Layer> layers(Function<Integer, Layer> layer) {
        List<Layer> layers = new ArrayList<>();
        for (int i = 0; i < config.size("num_hidden_layers"); i++) {
            layers.add(layer.apply(i));
        }
        return layers;
    }

    RotaryEmbedding rotary(AttentionShape shape) {
        return new RotaryEmbedding(prefix + "RotaryEmbedding", request, shape.turned());
    }

    /** The kinds of layers of a config that has windows in some of them, and the shape of each layer. */
    record Kinds(Map<String, Long> windows, List<AttentionShape> shapes) {
        /** Those that some layer is of. */
        List<String> present() {
            return Stream.of(AttentionShape.FULL, AttentionShape.SLIDING)
                    .filter(kind -> shapes.stream().anyMatch(s -> s.kind().equals(kind)))
                    .toList();
        }
    }

    /**
     * The kinds of its layers.
     *
     * @param window how many tokens a query of a sliding layer sees
     * @param slides whether a layer slides where the config has no {@code layer_types}
     * @param always whether the sliding mask is made though no layer slides
     */
    Kinds kinds(AttentionShape shape, long window, Function<Integer, Boolean> slides, boolean always) {
        List<String> types = config.texts("layer_types");
        List<AttentionShape> shapes = new ArrayList<>();
        long layers = config.size("num_hidden_layers");
        if (!types.isEmpty() && types.size() < layers) {
            throw new UserInputException("config.json: layer_types has " + types.size()
                    + " entries, num_hidden_layers is " + layers + "; give each layer its type");
        }
        for (int i = 0; i < layers; i++) {
            boolean sliding = types.isEmpty() ? slides.apply(i) : types.get(i).equals(AttentionShape.SLIDING);
            shapes.add(sliding ? shape.sliding(window) : shape);
        }
        Map<String, Long> windows = new LinkedHashMap<>();
        windows.put(AttentionShape.FULL, 0L);
        if (always || shapes.stream().anyMatch(s -> s.kind().equals(AttentionShape.SLIDING))) {
            windows.put(AttentionShape.SLIDING, window);
        }
        return new Kinds(windows, shapes);
    }

    /** How much of a head is turned by positions. */
    static double turnedPart(ModelConfig c, double otherwise) {
        return c.section("rope_parameters")
                .number("partial_rotary_factor", c.number("partial_rotary_factor", otherwise));
    }

    long vocabulary() {
        return config.size("vocab_size");
    }

    Layer embeddings() {
        return Layers.embedding(vocabulary(), width);
    }

    Layer model(List<Layer> layers, Decoder.Shared shared, boolean tied) {
        return model(layers, shared, tied, Scores.PLAIN, "Model");
    }

    /** @param decoder the decoder's class name, without what all begin with */
    Layer model(List<Layer> layers, Decoder.Shared shared, boolean tied, Scores scores, String decoder) {
        Decoder whole = new Decoder(prefix + decoder, request, pass, layers, shared);
        return DecoderHeads.of(
                DecoderHeads.Names.usual(prefix),
                request,
                pass,
                width,
                whole,
                () -> new CausalLanguageModel(
                        prefix + "ForCausalLM",
                        request,
                        pass,
                        vocabulary(),
                        width,
                        config.flag("tie_word_embeddings", tied),
                        whole,
                        scores));
    }
}
