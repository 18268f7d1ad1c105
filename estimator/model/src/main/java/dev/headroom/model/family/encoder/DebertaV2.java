package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;

/**
 * DeBERTa V2 and V3 (transformers, models/deberta_v2/modeling_deberta_v2.py), with the functions that the library
 * compiles by TorchScript run as they are written.
 */
public final class DebertaV2 {
    static final String CLASS = "transformers.models.deberta_v2.modeling_deberta_v2.DebertaV2";

    private static final String BASE = "deberta";

    private DebertaV2() {}

    /** The model with the head that the request's task, or else the config, names. */
    public static Layer of(Request request) {
        ModelConfig c = request.config();
        Shape shape = Shape.of(c, CLASS);
        Layer words = Layers.embedding(c.size("vocab_size"), shape.width());
        Layer model = new Model(shape, request, words);
        return switch (Tasks.of(request)) {
            case SEQUENCE_CLASSIFICATION -> new SequenceClassifier(request, shape, model);
            case TOKEN_CLASSIFICATION ->
                new Classifier(CLASS + "ForTokenClassification", request, BASE, model, false, null);
            case QUESTION_ANSWERING -> new Answers(CLASS + "ForQuestionAnswering", request, BASE, model);
            default -> {
                if (!c.flag("legacy", true)) {
                    throw new UserInputException(c.source() + ": DeBERTa that fills masks with \"legacy\": false is not"
                            + " written; pass `task` or export the model (headroom export-help)");
                }
                String prefix = CLASS.replace(".DebertaV2", ".LegacyDebertaV2");
                yield new MaskedLanguageModel(
                        CLASS + "ForMaskedLM", request, BASE, model, new Predictions(prefix, shape, request, words));
            }
        };
    }

    /** {@code DebertaV2Model}. */
    private static final class Model extends Layer {
        private final Request request;
        private final Layer embeddings;
        private final DebertaEncoder encoder;

        private Model(Shape shape, Request request, Layer words) {
            this.request = request;
            embeddings = child("embeddings", new Embedded(shape, request, words));
            encoder = child("encoder", new DebertaEncoder(shape, request));
        }

        @Override
        protected String type() {
            return CLASS + "Model";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            dev.headroom.model.family.decoder.PaddingWarning.write(s, request, in[0]);
            SymExpr[] sizes = {Request.BATCH, Request.SEQ};
            Value mask = s.given("attention_mask");
            if (!DebertaEncoder.masked(request)) {
                s.line("attention_mask = torch.ones(input_shape, device=device)");
                mask = s.op("aten.ones.default", "size", sizes, "dtype", DType.FLOAT32);
            }
            s.line("token_type_ids = torch.zeros(input_shape, dtype=torch.long, device=device)");
            Value kinds = s.op("aten.zeros.default", "size", sizes, "dtype", DType.INT64);
            s.line("embedding_output = self.embeddings(input_ids, token_type_ids, mask)");
            Value x = s.call(embeddings, in[0], kinds, mask);
            s.line("encoder_outputs = self.encoder(embedding_output, attention_mask)");
            Value[] states = s.results(encoder, x, mask);
            s.use(kinds);
            s.use(mask);
            s.use(states); // encoder_outputs holds what each layer made
            return states[states.length - 1];
        }
    }

    /** {@code DebertaV2Embeddings}. */
    private static final class Embedded extends Layer {
        private final Layer words;
        private final Layer places;
        private final Layer kinds;
        private final Layer norm;
        private final Layer dropout;
        private final boolean placed;
        private final boolean typed;

        private Embedded(Shape shape, Request request, Layer words) {
            ModelConfig c = request.config();
            if (c.size("embedding_size", shape.width()) != shape.width()) {
                throw new UserInputException(c.source() + ": embeddings of another width than hidden_size are not"
                        + " written for DeBERTa; export the model instead (headroom export-help)");
            }
            long longest = c.size("max_position_embeddings", 512);
            this.words = child("word_embeddings", words);
            placed = c.flag("position_biased_input", true);
            places = Layers.embedding(longest, shape.width());
            if (placed) {
                child("position_embeddings", places);
            }
            typed = c.count("type_vocab_size", 0) > 0;
            kinds = Layers.embedding(Math.max(1, c.count("type_vocab_size", 0)), shape.width());
            if (typed) {
                child("token_type_embeddings", kinds);
            }
            norm = child("LayerNorm", Layers.layerNorm(shape.width()));
            dropout = child("dropout", Layers.dropout(shape.dropout()));
            scratch("position_ids", DType.INT64, 1, longest);
        }

        @Override
        protected String type() {
            return CLASS + "Embeddings";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("inputs_embeds = self.word_embeddings(input_ids)");
            Value x = s.call(words, in[0]);
            Value held = x;
            s.line("position_embeddings = self.position_embeddings(position_ids.long())");
            Value place;
            if (placed) {
                Value all = s.parameter("position_ids");
                Value first = s.op("aten.slice.Tensor", "self", all, "dim", 1, "start", 0, "end", Request.SEQ);
                place = s.call(places, first);
            } else {
                place = s.op("aten.zeros_like.default", "self", x);
            }
            if (placed) {
                s.line("embeddings = embeddings + position_embeddings");
                x = s.op("aten.add.Tensor", "self", x, "other", place);
            }
            if (typed) {
                s.line("token_type_embeddings = self.token_type_embeddings(token_type_ids)");
                Value kind = s.call(kinds, in[1]);
                s.line("embeddings = embeddings + token_type_embeddings");
                x = s.op("aten.add.Tensor", "self", x, "other", kind);
            }
            s.line("embeddings = self.LayerNorm(embeddings)");
            x = s.call(norm, x);
            s.line("mask = mask.unsqueeze(2)");
            Value mask = s.op("aten.unsqueeze.default", "self", in[2], "dim", 2);
            s.line("mask = mask.to(embeddings.dtype)");
            mask = s.op("aten.to.dtype", "self", mask, "dtype", new dev.headroom.model.graph.Argument.TypeOf(x.name()));
            s.line("embeddings = embeddings * mask");
            x = s.op("aten.mul.Tensor", "self", x, "other", mask);
            s.line("embeddings = self.dropout(embeddings)");
            Value out = s.call(dropout, x);
            s.use(held);
            s.use(place);
            return out;
        }
    }

    /** {@code DebertaV2ForSequenceClassification}. */
    private static final class SequenceClassifier extends SeveralResults {
        private final Request request;
        private final long classes;
        private final Layer model;
        private final Layer pooler;
        private final Layer classifier;
        private final Layer dropout;

        private SequenceClassifier(Request request, Shape shape, Layer model) {
            this.request = request;
            ModelConfig c = request.config();
            classes = Tasks.classes(c);
            if (classes == 1) {
                throw new UserInputException(c.source() + ": DeBERTa with one label is not written; pass"
                        + " `set=num_labels=N` or export the model (headroom export-help)");
            }
            this.model = child(BASE, model);
            pooler = child("pooler", new Pooler(c));
            classifier = child("classifier", Layers.linear(c.size("hidden_size"), classes));
            dropout = child("dropout", Layers.dropout(c.number("cls_dropout", shape.dropout())));
        }

        @Override
        protected String type() {
            return CLASS + "ForSequenceClassification";
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("outputs = self.deberta(input_ids, attention_mask)");
            Value states = s.call(model, in[0]);
            s.line("pooled_output = self.pooler(encoder_layer)");
            Value x = s.call(pooler, states);
            s.line("pooled_output = self.dropout(pooled_output)");
            x = s.call(dropout, x);
            s.line("logits = self.classifier(pooled_output)");
            Value logits = s.call(classifier, x);
            Value[] out = request.labelled() ? new Value[] {loss(s, logits), logits} : new Value[] {logits};
            s.use(states);
            return out;
        }

        /** Of those sequences whose label is none of the negative ones that mean nothing: all of them. */
        private Value loss(Scope s, Value logits) {
            s.line("label_index = (labels >= 0).nonzero()");
            Value real = s.op("aten.ge.Scalar", "self", s.given("labels"), "other", 0);
            Value found = s.op("aten.nonzero.default", "self", real);
            s.line("labeled_logits = torch.gather(logits, 0, label_index.expand(label_index.size(0), logits.size(1)))");
            SymExpr[] sizes = {Request.BATCH, SymExpr.of(classes)};
            Value rows = s.op("aten.expand.default", "self", found, "size", sizes);
            Value picked = s.op("aten.gather.default", "self", logits, "dim", 0, "index", rows);
            s.line("labels = torch.gather(labels, 0, label_index.view(-1))");
            Value flat = s.op("aten.view.default", "self", found, "size", new long[] {-1});
            Value wanted = s.op("aten.gather.default", "self", s.given("labels"), "dim", 0, "index", flat);
            s.line("loss = loss_fct(labeled_logits.view(-1, self.num_labels).float(), labels.view(-1))");
            Value all = s.op("aten.view.default", "self", picked, "size", new long[] {-1, classes});
            Value wide = s.op("aten.to.dtype", "self", all, "dtype", DType.FLOAT32);
            Value loss = s.op("aten.cross_entropy_loss.default", "self", wide, "target", wanted);
            return s.scalar(loss, DType.FLOAT32);
        }
    }

    /** {@code ContextPooler}. */
    private static final class Pooler extends Layer {
        private final Layer dense;
        private final Layer dropout;
        private final Layer activation;

        private Pooler(ModelConfig c) {
            long width = c.size("pooler_hidden_size", c.size("hidden_size"));
            dense = child("dense", Layers.linear(width, width));
            dropout = child("dropout", Layers.dropout(c.number("pooler_dropout", 0)));
            activation = Activations.of(c, "pooler_hidden_act", "gelu");
            child("activation", activation);
        }

        @Override
        protected String type() {
            return CLASS.replace("DebertaV2", "") + "ContextPooler";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("context_token = hidden_states[:, 0]");
            Value first = s.op("aten.select.int", "self", in[0], "dim", 1, "index", 0);
            s.line("context_token = self.dropout(context_token)");
            first = s.call(dropout, first);
            s.line("pooled_output = self.dense(context_token)");
            Value x = s.call(dense, first);
            s.line("pooled_output = ACT2FN[self.config.pooler_hidden_act](pooled_output)");
            return s.call(activation, x);
        }
    }
}
