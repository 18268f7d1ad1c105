package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions.Task;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** DistilBERT (transformers, models/distilbert/modeling_distilbert.py): half of BERT's layers, no kinds of tokens. */
public final class DistilBert {
    private static final String PACKAGE = "transformers.models.distilbert.modeling_distilbert.";
    private static final String CLASS = PACKAGE + "DistilBert";
    private static final String BASE = "distilbert";
    private static final String WIDTH = "dim";

    private DistilBert() {}

    /** The model with the head that the request's task, or else the config, names. */
    public static Layer of(Request request) {
        Task task = Tasks.of(request);
        if (task == Task.QUESTION_ANSWERING) {
            throw new UserInputException(request.config().source() + ": Headroom does not write "
                    + "DistilBertForQuestionAnswering; export the model instead (headroom export-help)");
        }
        return new Headed(request, task);
    }

    private static Layer square(long width) {
        return Layers.linear(width, width);
    }

    /** A model with its head; of words, sequences or tokens. */
    private static final class Headed extends SeveralResults {
        private final Request request;
        private final Task task;
        private final Layer model;
        private final long classes;
        private final List<Layer> calls = new ArrayList<>();
        private final List<String> lines = new ArrayList<>();

        private Headed(Request request, Task task) {
            this.request = request;
            this.task = task;
            ModelConfig c = request.config();
            long width = c.size(WIDTH, 768);
            Model base = new Model(request, c, width);
            classes = task == Task.AUTO ? c.size("vocab_size") : Tasks.classes(c);
            switch (task) {
                case SEQUENCE_CLASSIFICATION -> {
                    model = child(BASE, base);
                    add("pooled_output = self.pre_classifier(pooled_output)", child("pre_classifier", square(width)));
                    Layer last = child("classifier", Layers.linear(width, classes));
                    Layer dropout = child("dropout", Layers.dropout(c.number("seq_classif_dropout", 0.2)));
                    add("pooled_output = self.dropout(pooled_output)", dropout);
                    add("logits = self.classifier(pooled_output)", last);
                }
                case TOKEN_CLASSIFICATION -> {
                    model = child(BASE, base);
                    Layer dropout = child("dropout", Layers.dropout(c.number("dropout", 0.1)));
                    add("sequence_output = self.dropout(sequence_output)", dropout);
                    Layer last = child("classifier", Layers.linear(width, classes));
                    add("logits = self.classifier(sequence_output)", last);
                }
                default -> {
                    Layer activation = child("activation", Activations.of(c, "activation", "gelu"));
                    model = child(BASE, base);
                    add("logits = self.vocab_transform(x)", child("vocab_transform", square(width)));
                    add("logits = self.activation(logits)", activation);
                    add("logits = self.vocab_layer_norm(logits)", child("vocab_layer_norm", Layers.layerNorm(width)));
                    Layer head = child("vocab_projector", Layers.linear(width, classes));
                    head.tie("weight", base.words(), "weight");
                    add("logits = self.vocab_projector(logits)", head);
                }
            }
        }

        private void add(String line, Layer layer) {
            lines.add(line);
            calls.add(layer);
        }

        @Override
        protected String type() {
            String end = Tasks.end(task);
            return CLASS + (end.isEmpty() ? "ForMaskedLM" : end);
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("output = self.distilbert(input_ids, attention_mask)");
            Value states = s.call(model, in[0]);
            Value x = states;
            if (task == Task.SEQUENCE_CLASSIFICATION) {
                s.line("pooled_output = hidden_state[:, 0]");
                x = s.op("aten.select.int", "self", x, "dim", 1, "index", 0);
            }
            for (int i = 0; i < calls.size(); i++) {
                s.line(lines.get(i));
                x = s.call(calls.get(i), x);
                if (i == 0 && task == Task.SEQUENCE_CLASSIFICATION) {
                    s.line("pooled_output = nn.ReLU()(pooled_output)"); // no module of the model
                    x = s.op("aten.relu.default", "self", x);
                }
            }
            Value[] out = Losses.scored(s, request.labelled(), x, classes);
            s.use(states);
            return out;
        }
    }

    /** {@code DistilBertModel}. */
    private static final class Model extends Layer {
        private final Request request;
        private final Embedded embeddings;
        private final Stack layers;

        private Model(Request request, ModelConfig c, long width) {
            this.request = request;
            embeddings = child("embeddings", new Embedded(c, width));
            layers = child("transformer", new Stack(request, c, width));
        }

        private Layer words() {
            return embeddings.words;
        }

        @Override
        protected String type() {
            return CLASS + "Model";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("embeddings = self.embeddings(input_ids)");
            Value x = s.call(embeddings, in[0]);
            s.line("mask = create_bidirectional_mask(embeddings, attention_mask)");
            Optional<Value> mask = Masks.bidirectional(s, request, x, Masks.NO_WINDOW);
            s.line("return self.transformer(embeddings, mask)");
            Value out = s.call(layers, mask.isPresent() ? new Value[] {x, mask.get()} : new Value[] {x});
            s.use(x);
            return out;
        }
    }

    /** {@code Embeddings}. */
    private static final class Embedded extends Layer {
        private final Layer words;
        private final Layer places;
        private final Layer norm;
        private final Layer dropout;

        private Embedded(ModelConfig c, long width) {
            long longest = c.size("max_position_embeddings", 512);
            words = child("word_embeddings", Layers.embedding(c.size("vocab_size"), width));
            places = child("position_embeddings", Layers.embedding(longest, width));
            norm = child("LayerNorm", Layers.layerNorm(width));
            dropout = child("dropout", Layers.dropout(c.number("dropout", 0.1)));
            scratch("position_ids", DType.INT64, 1, longest);
        }

        @Override
        protected String type() {
            return PACKAGE + "Embeddings";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("inputs_embeds = self.word_embeddings(input_ids)");
            Value word = s.call(words, in[0]);
            s.line("position_ids = self.position_ids[:, :seq_length]");
            Value ids = s.parameter("position_ids");
            Value first = s.op("aten.slice.Tensor", "self", ids, "dim", 1, "start", 0, "end", Request.SEQ);
            s.line("position_embeddings = self.position_embeddings(position_ids)");
            Value place = s.call(places, first);
            s.line("embeddings = inputs_embeds + position_embeddings");
            Value x = s.op("aten.add.Tensor", "self", word, "other", place);
            s.line("embeddings = self.LayerNorm(embeddings)");
            x = s.call(norm, x);
            s.line("embeddings = self.dropout(embeddings)");
            return s.call(dropout, x);
        }
    }

    /** {@code Transformer}. */
    private static final class Stack extends Layer {
        private final List<Layer> all = new ArrayList<>();

        private Stack(Request request, ModelConfig c, long width) {
            long heads = c.size("n_heads", 12);
            c.divided(WIDTH, width, "n_heads", heads);
            Shape shape = new Shape(
                    CLASS,
                    width,
                    heads,
                    c.size("hidden_dim", 3072),
                    c.number("dropout", 0.1),
                    c.number("attention_dropout", 0.1));
            ModuleList list = child("layer", new ModuleList());
            for (int i = 0; i < c.size("n_layers", 6); i++) {
                all.add(list.add(new Block(shape, request)));
            }
        }

        @Override
        protected String type() {
            return PACKAGE + "Transformer";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("hidden_states = layer_module(hidden_states, mask)");
            Value[] given = in.clone();
            for (Layer layer : all) {
                given[0] = s.call(layer, given);
            }
            return given[0];
        }
    }

    /** {@code TransformerBlock}. */
    private static final class Block extends Layer {
        private final Layer attention;
        private final Layer between;
        private final Layer feedForward;
        private final Layer last;

        private Block(Shape shape, Request request) {
            attention = child(
                    "attention", new SelfAttention(shape, request, List.of("q_lin", "k_lin", "v_lin", "out_lin")));
            between = child("sa_layer_norm", Layers.layerNorm(shape.width()));
            feedForward = child("ffn", new FeedForward(shape, request));
            last = child("output_layer_norm", Layers.layerNorm(shape.width()));
        }

        @Override
        protected String type() {
            return PACKAGE + "TransformerBlock";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("attention_output = self.attention(hidden_states, mask)[0]");
            Value[] attended = s.results(attention, in);
            s.line("attention_output = self.sa_layer_norm(attention_output + hidden_states)");
            Value sum = s.op("aten.add.Tensor", "self", attended[0], "other", in[0]);
            Value x = s.call(between, sum);
            s.line("ffn_output = self.ffn(attention_output)");
            Value inner = s.call(feedForward, x);
            s.line("ffn_output = self.output_layer_norm(ffn_output + attention_output)");
            Value both = s.op("aten.add.Tensor", "self", inner, "other", x);
            Value out = s.call(last, both);
            if (attended.length > 1) {
                s.use(attended[1]);
            }
            return out;
        }
    }

    /** {@code FFN}. */
    private static final class FeedForward extends Layer {
        private final Layer dropout;
        private final Layer wide;
        private final Layer narrow;
        private final Layer activation;

        private FeedForward(Shape shape, Request request) {
            dropout = child("dropout", Layers.dropout(shape.dropout()));
            wide = child("lin1", Layers.linear(shape.width(), shape.inner()));
            narrow = child("lin2", Layers.linear(shape.inner(), shape.width()));
            activation = child("activation", Activations.of(request.config(), "activation", "gelu"));
        }

        @Override
        protected String type() {
            return PACKAGE + "FFN";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return apply_chunking_to_forward(self.ff_chunk, input)");
            return s.function("ff_chunk", () -> {
                s.line("x = self.lin1(input)");
                Value x = s.call(wide, in[0]);
                s.line("x = self.activation(x)");
                x = s.call(activation, x);
                s.line("x = self.lin2(x)");
                x = s.call(narrow, x);
                s.line("x = self.dropout(x)");
                return s.call(dropout, x);
            });
        }
    }
}
