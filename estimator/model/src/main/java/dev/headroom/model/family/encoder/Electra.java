package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import org.jspecify.annotations.Nullable;

/** ELECTRA (transformers, models/electra/modeling_electra.py): BERT with narrow embeddings and other heads. */
public final class Electra {
    private static final String CLASS = "transformers.models.electra.modeling_electra.Electra";
    private static final String BASE = "electra";

    private Electra() {}

    /** The model with the head that the request's task, or else the config, names. */
    public static Layer of(Request request) {
        ModelConfig c = request.config();
        Shape shape = Shape.of(c, CLASS);
        long narrow = c.size("embedding_size", 128);
        Embeddings embeddings = new Embeddings(shape.withWidth(narrow), c, false);
        @Nullable Layer project = narrow == shape.width() ? null : Layers.linear(narrow, shape.width());
        Encoder encoder = new Encoder(shape, request, embeddings, false, project);
        return switch (Tasks.of(request)) {
            case SEQUENCE_CLASSIFICATION ->
                new Classifier(
                        CLASS + "ForSequenceClassification",
                        request,
                        BASE,
                        encoder,
                        false,
                        new ClassificationHead(
                                CLASS + "ClassificationHead", shape, c, Activations.of(c, "summary_gelu", "gelu")));
            case TOKEN_CLASSIFICATION ->
                new Classifier(CLASS + "ForTokenClassification", request, BASE, encoder, false, null);
            case QUESTION_ANSWERING -> new Answers(CLASS + "ForQuestionAnswering", request, BASE, encoder);
            default ->
                c.architecture().endsWith("ForMaskedLM")
                        ? new Generator(request, shape, narrow, encoder)
                        : new Discriminator(request, shape, encoder);
        };
    }

    /** {@code ElectraForMaskedLM}. */
    private static final class Generator extends SeveralResults {
        private final Request request;
        private final Encoder encoder;
        private final Layer predictions;
        private final Layer head;

        private Generator(Request request, Shape shape, long narrow, Encoder encoder) {
            this.request = request;
            this.encoder = child(BASE, encoder);
            predictions = child(
                    "generator_predictions",
                    new NamedSequence(CLASS + "GeneratorPredictions", "dense", "activation", "LayerNorm")
                            .with("activation", Activations.of(request.config(), "summary_gelu", "gelu"))
                            .with("LayerNorm", Layers.layerNorm(narrow))
                            .with("dense", Layers.linear(shape.width(), narrow)));
            head = child(
                    "generator_lm_head", Layers.linear(narrow, request.config().size("vocab_size")));
            head.tie("weight", encoder.embeddings().words(), "weight");
        }

        @Override
        protected String type() {
            return CLASS + "ForMaskedLM";
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("states = self.electra(input_ids, attention_mask)");
            Value x = s.call(encoder, in[0]);
            s.line("scores = self.generator_predictions(states[0])");
            Value narrow = s.call(predictions, x);
            s.line("scores = self.generator_lm_head(scores)");
            Value logits = s.call(head, narrow);
            Value[] out = Losses.scored(
                    s, request.labelled(), logits, request.config().size("vocab_size"));
            s.use(x);
            return out;
        }
    }

    /** {@code ElectraForPreTraining}: was each token replaced. */
    private static final class Discriminator extends SeveralResults {
        private final Request request;
        private final Encoder encoder;
        private final Layer predictions;

        private Discriminator(Request request, Shape shape, Encoder encoder) {
            if (request.labelled() && request.options().mask() != ModelOptions.Mask.NONE) {
                throw new UserInputException(request.config().source()
                        + ": the loss of ElectraForPreTraining picks tokens by the mask's values, which is not"
                        + " modelled; leave `mask` out, or choose a `task`");
            }
            this.request = request;
            this.encoder = child(BASE, encoder);
            predictions = child("discriminator_predictions", new Predictions(shape, request.config()));
        }

        @Override
        protected String type() {
            return CLASS + "ForPreTraining";
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("states = self.electra(input_ids, attention_mask)");
            Value x = s.call(encoder, in[0]);
            s.line("logits = self.discriminator_predictions(states[0])");
            Value logits = s.call(predictions, x);
            if (!request.labelled()) {
                s.use(x);
                return new Value[] {logits};
            }
            s.line("loss = loss_fct(logits.view(-1, length), labels.float())");
            SymExpr[] rows = {SymExpr.of(-1), Request.SEQ};
            Value flat = s.op("aten.view.default", "self", logits, "size", rows);
            Value target = s.op("aten.to.dtype", "self", s.given("labels"), "dtype", DType.FLOAT32);
            Value loss = s.op("aten.binary_cross_entropy_with_logits.default", "self", flat, "target", target);
            s.use(x);
            return new Value[] {s.scalar(loss, request.type()), logits};
        }
    }

    /** {@code ElectraDiscriminatorPredictions}. */
    private static final class Predictions extends Layer {
        private final Layer dense;
        private final Layer activation;
        private final Layer score;

        private Predictions(Shape shape, ModelConfig c) {
            dense = child("dense", Layers.linear(shape.width(), shape.width()));
            activation = child("activation", Activations.of(c, "hidden_act", "gelu"));
            score = child("dense_prediction", Layers.linear(shape.width(), 1));
        }

        @Override
        protected String type() {
            return CLASS + "DiscriminatorPredictions";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = self.dense(x)");
            Value x = s.call(dense, in[0]);
            s.line("x = self.activation(x)");
            x = s.call(activation, x);
            s.line("logits = self.dense_prediction(x).squeeze(-1)");
            return s.op("aten.squeeze.dim", "self", s.call(score, x), "dim", -1);
        }
    }
}
