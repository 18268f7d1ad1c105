package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;

/** BERT and RoBERTa (transformers, models/bert/modeling_bert.py and models/roberta/modeling_roberta.py). */
public final class Bert {
    private static final String BERT = "transformers.models.bert.modeling_bert.Bert";
    private static final String ROBERTA = "transformers.models.roberta.modeling_roberta.Roberta";

    private Bert() {}

    /** BERT with the head that the request's task, or else the config, names. */
    public static Layer bert(Request request) {
        Shape shape = Shape.of(request.config(), BERT);
        Embeddings embeddings = new Embeddings(shape, request.config(), false);
        return switch (Tasks.of(request)) {
            case SEQUENCE_CLASSIFICATION ->
                new Classifier(
                        BERT + "ForSequenceClassification",
                        request,
                        "bert",
                        new Encoder(shape, request, embeddings, true),
                        true,
                        null);
            case TOKEN_CLASSIFICATION -> tokens(shape, request, "bert", embeddings);
            case QUESTION_ANSWERING -> answers(shape, request, "bert", embeddings);
            default -> {
                Encoder encoder = new Encoder(shape, request, embeddings, false);
                yield new MaskedLanguageModel(
                        BERT + "ForMaskedLM", request, "bert", encoder, new Predictions(shape, request, encoder));
            }
        };
    }

    /** RoBERTa with such a head. */
    public static Layer roberta(Request request) {
        Shape shape = Shape.of(request.config(), ROBERTA);
        Embeddings embeddings = new Embeddings(shape, request.config(), true);
        return switch (Tasks.of(request)) {
            case SEQUENCE_CLASSIFICATION ->
                new Classifier(
                        ROBERTA + "ForSequenceClassification",
                        request,
                        "roberta",
                        new Encoder(shape, request, embeddings, false),
                        false,
                        new ClassificationHead(shape, request.config()));
            case TOKEN_CLASSIFICATION -> tokens(shape, request, "roberta", embeddings);
            case QUESTION_ANSWERING -> answers(shape, request, "roberta", embeddings);
            default -> {
                Encoder encoder = new Encoder(shape, request, embeddings, false);
                yield new MaskedLanguageModel(
                        ROBERTA + "ForMaskedLM", request, "roberta", encoder, new RobertaHead(shape, request, encoder));
            }
        };
    }

    private static Layer tokens(Shape shape, Request request, String base, Embeddings embeddings) {
        Encoder encoder = new Encoder(shape, request, embeddings, false);
        return new Classifier(shape.prefix() + "ForTokenClassification", request, base, encoder, false, null);
    }

    private static Layer answers(Shape shape, Request request, String base, Embeddings embeddings) {
        Encoder encoder = new Encoder(shape, request, embeddings, false);
        return new Answers(shape.prefix() + "ForQuestionAnswering", request, base, encoder);
    }

    /** {@code BertPredictionHeadTransform}. */
    private static Layer transform(Shape shape, Request request) {
        return new NamedSequence(BERT + "PredictionHeadTransform", "dense", "transform_act_fn", "LayerNorm")
                .with("dense", Layers.linear(shape.width(), shape.width()))
                .with("transform_act_fn", Activations.of(request.config(), "hidden_act", "gelu"))
                .with("LayerNorm", Layers.layerNorm(shape.width()));
    }

    /** {@code RobertaClassificationHead}. */
    private static final class ClassificationHead extends Layer {
        private final Layer dense;
        private final Layer dropout;
        private final Layer out;

        private ClassificationHead(Shape shape, ModelConfig c) {
            dense = child("dense", Layers.linear(shape.width(), shape.width()));
            dropout = child("dropout", Layers.dropout(Classifier.dropped(c)));
            out = child("out_proj", Layers.linear(shape.width(), Tasks.classes(c)));
        }

        @Override
        protected String type() {
            return ROBERTA + "ClassificationHead";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = features[:, 0, :]");
            Value x = s.op("aten.select.int", "self", in[0], "dim", 1, "index", 0);
            s.line("x = self.dropout(x)");
            x = s.call(dropout, x);
            s.line("x = self.dense(x)");
            x = s.call(dense, x);
            s.line("x = torch.tanh(x)");
            x = s.op("aten.tanh.default", "self", x);
            s.line("x = self.dropout(x)");
            x = s.call(dropout, x);
            s.line("x = self.out_proj(x)");
            return s.call(out, x);
        }
    }

    /** {@code BertOnlyMLMHead}. */
    private static final class Predictions extends Layer {
        private final Layer predictions;

        private Predictions(Shape shape, Request request, Encoder encoder) {
            predictions = child("predictions", new LanguageModelHead(shape, request, encoder));
        }

        @Override
        protected String type() {
            return BERT + "OnlyMLMHead";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("scores = self.predictions(x)");
            return s.call(predictions, in[0]);
        }
    }

    /** {@code BertLMPredictionHead}; its decoder's weight is that of the embeddings. */
    private static final class LanguageModelHead extends Layer {
        private final Layer transform;
        private final Layer decoder;

        private LanguageModelHead(Shape shape, Request request, Encoder encoder) {
            long vocabulary = request.config().size("vocab_size");
            parameter("bias", vocabulary);
            transform = child("transform", transform(shape, request));
            decoder = child("decoder", Layers.linear(shape.width(), vocabulary));
            decoder.tie("weight", encoder.embeddings().words(), "weight");
            decoder.tie("bias", this, "bias");
        }

        @Override
        protected String type() {
            return BERT + "LMPredictionHead";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = self.transform(x)");
            Value x = s.call(transform, in[0]);
            s.line("x = self.decoder(x)");
            return s.call(decoder, x);
        }
    }

    /** {@code RobertaLMHead}. */
    private static final class RobertaHead extends Layer {
        private final Layer dense;
        private final Layer norm;
        private final Layer decoder;

        private RobertaHead(Shape shape, Request request, Encoder encoder) {
            long vocabulary = request.config().size("vocab_size");
            parameter("bias", vocabulary);
            dense = child("dense", Layers.linear(shape.width(), shape.width()));
            norm = child("layer_norm", Layers.layerNorm(shape.width()));
            decoder = child("decoder", Layers.linear(shape.width(), vocabulary));
            decoder.tie("weight", encoder.embeddings().words(), "weight");
            decoder.tie("bias", this, "bias");
        }

        @Override
        protected String type() {
            return ROBERTA + "LMHead";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = self.dense(x)");
            Value x = s.call(dense, in[0]);
            s.line("x = gelu(x)");
            x = s.op("aten.gelu.default", "self", x);
            s.line("x = self.layer_norm(x)");
            x = s.call(norm, x);
            s.line("x = self.decoder(x)");
            return s.call(decoder, x);
        }
    }
}
