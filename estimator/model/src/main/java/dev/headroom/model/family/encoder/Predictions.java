package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;

/** {@code BertOnlyMLMHead}, and that of models whose classes have its parts under another name. */
final class Predictions extends Layer {
    private final String prefix;
    private final Layer predictions;

    /**
     * @param prefix of class names
     * @param words the embeddings whose weight is the scores'
     */
    Predictions(String prefix, Shape shape, Request request, Layer words) {
        this.prefix = prefix;
        predictions = child("predictions", new Scores(prefix, shape, request, words));
    }

    @Override
    protected String type() {
        return prefix + "OnlyMLMHead";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("scores = self.predictions(x)");
        return s.call(predictions, in[0]);
    }

    /** {@code BertPredictionHeadTransform}. */
    private static Layer transform(String prefix, Shape shape, Request request) {
        return new NamedSequence(prefix + "PredictionHeadTransform", "dense", "transform_act_fn", "LayerNorm")
                .with("dense", Layers.linear(shape.width(), shape.width()))
                .with("transform_act_fn", Activations.of(request.config(), "hidden_act", "gelu"))
                .with("LayerNorm", Layers.layerNorm(shape.width()));
    }

    /** {@code BertLMPredictionHead}; its decoder's weight is that of the embeddings. */
    private static final class Scores extends Layer {
        private final String prefix;
        private final Layer transform;
        private final Layer decoder;

        private Scores(String prefix, Shape shape, Request request, Layer words) {
            this.prefix = prefix;
            long vocabulary = request.config().size("vocab_size");
            parameter("bias", vocabulary);
            transform = child("transform", transform(prefix, shape, request));
            decoder = child("decoder", Layers.linear(shape.width(), vocabulary));
            decoder.tie("weight", words, "weight");
            decoder.tie("bias", this, "bias");
        }

        @Override
        protected String type() {
            return prefix + "LMPredictionHead";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = self.transform(x)");
            Value x = s.call(transform, in[0]);
            s.line("x = self.decoder(x)");
            return s.call(decoder, x);
        }
    }
}
