package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Tasks;
import java.util.Set;

/** BERT and RoBERTa (transformers, models/bert/modeling_bert.py and models/roberta/modeling_roberta.py). */
public final class Bert {
    private static final String BERT = "transformers.models.bert.modeling_bert.Bert";
    private static final String ROBERTA = "transformers.models.roberta.modeling_roberta.Roberta";

    /** Families whose classes register their heads before the encoder. */
    private static final Set<String> HEAD_FIRST = Set.of("xlm-roberta", "camembert");

    private Bert() {}

    static boolean headFirst(Request request) {
        return HEAD_FIRST.contains(request.config().modelType());
    }

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
                        BERT + "ForMaskedLM",
                        request,
                        "bert",
                        encoder,
                        new Predictions(
                                BERT, shape, request, encoder.embeddings().words()));
            }
        };
    }

    /** RoBERTa with such a head. */
    public static Layer roberta(Request request) {
        return roberta(request, ROBERTA);
    }

    /**
     * A model whose classes are RoBERTa's under another name.
     *
     * @param folder of its module in transformers
     * @param name that its classes begin with
     */
    public static Layer relative(Request request, String folder, String name) {
        return roberta(request, "transformers.models." + folder + ".modeling_" + folder + "." + name);
    }

    private static Layer roberta(Request request, String prefix) {
        Shape shape = Shape.of(request.config(), prefix);
        Embeddings embeddings = new Embeddings(shape, request.config(), true);
        return switch (Tasks.of(request)) {
            case SEQUENCE_CLASSIFICATION ->
                new Classifier(
                        prefix + "ForSequenceClassification",
                        request,
                        "roberta",
                        new Encoder(shape, request, embeddings, false),
                        false,
                        new ClassificationHead(prefix + "ClassificationHead", shape, request.config(), null));
            case TOKEN_CLASSIFICATION -> tokens(shape, request, "roberta", embeddings);
            case QUESTION_ANSWERING -> answers(shape, request, "roberta", embeddings);
            default -> {
                Encoder encoder = new Encoder(shape, request, embeddings, false);
                yield new MaskedLanguageModel(
                        prefix + "ForMaskedLM", request, "roberta", encoder, new RobertaHead(shape, request, encoder));
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

    /** {@code RobertaLMHead}. */
    private static final class RobertaHead extends Layer {
        private final String prefix;
        private final Layer dense;
        private final Layer norm;
        private final Layer decoder;

        private RobertaHead(Shape shape, Request request, Encoder encoder) {
            prefix = shape.prefix();
            long vocabulary = request.config().size("vocab_size");
            parameter("bias", vocabulary);
            dense = child("dense", Layers.linear(shape.width(), shape.width()));
            norm = child("layer_norm", Layers.layerNorm(shape.width()));
            decoder = child("decoder", Layers.linear(shape.width(), vocabulary));
            if (headFirst(request)) {
                encoder.embeddings().words().tie("weight", decoder, "weight");
            } else {
                decoder.tie("weight", encoder.embeddings().words(), "weight");
            }
            decoder.tie("bias", this, "bias");
        }

        @Override
        protected String type() {
            return prefix + "LMHead";
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
