package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.head.Losses;
import dev.headroom.model.family.head.Tasks;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.LayerNorm;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * ModernBERT: rotary positions, gated feed-forward parts, and windows in most layers (transformers,
 * models/modernbert/modeling_modernbert.py).
 */
public final class ModernBert {
    static final String CLASS = "transformers.models.modernbert.modeling_modernbert.ModernBert";

    private ModernBert() {}

    /** The model with the head that the task, or else the config, names. */
    public static Layer of(Request request) {
        return new WithHead(request, Tasks.of(request));
    }

    private static Layer norm(ModelConfig c) {
        return new LayerNorm(c.size("hidden_size"), c.flag("norm_bias", false));
    }

    /** {@code ModernBertForMaskedLM} and the heads that classify. */
    private static final class WithHead extends SeveralResults {
        private final Request request;
        private final ModelOptions.Task task;
        private final Model model;
        private final Layer head;
        private final Layer dropout;
        private final Layer last;
        private final long classes;

        private WithHead(Request request, ModelOptions.Task task) {
            this.request = request;
            this.task = task;
            ModelConfig c = request.config();
            model = child("model", new Model(request));
            head = child("head", new PredictionHead(c));
            dropout = Layers.dropout(c.number("classifier_dropout", 0));
            boolean words = task == ModelOptions.Task.AUTO;
            classes = words ? c.size("vocab_size") : Tasks.classes(c);
            last = Layers.linear(c.size("hidden_size"), classes, !words || c.flag("decoder_bias", true));
            if (words) {
                child("decoder", last).tie("weight", model.embeddings.tokens, "weight");
            } else {
                child("drop", dropout);
                child("classifier", last);
            }
        }

        @Override
        protected String type() {
            return CLASS + (task == ModelOptions.Task.AUTO ? "ForMaskedLM" : Tasks.end(task));
        }

        @Override
        protected Value[] results(Scope s, Value... in) {
            s.line("outputs = self.model(input_ids, attention_mask)");
            Value made = s.call(model, in[0]);
            Value x = made;
            if (task == ModelOptions.Task.SEQUENCE_CLASSIFICATION) {
                x = pooled(s, made);
            }
            s.line("logits = self.decoder(self.head(last_hidden_state))");
            Value logits;
            if (task == ModelOptions.Task.AUTO) {
                logits = s.call(last, s.call(head, x));
            } else {
                s.line("pooled = self.head(first)");
                Value pooled = s.call(head, x);
                s.line("pooled = self.drop(pooled)");
                pooled = s.call(dropout, pooled);
                s.line("logits = self.classifier(pooled)");
                logits = s.call(last, pooled);
            }
            Value[] out = task == ModelOptions.Task.QUESTION_ANSWERING
                    ? Losses.spans(s, request.labelled(), logits)
                    : task == ModelOptions.Task.AUTO && request.labelled()
                            ? new Value[] {loss(s, logits), logits}
                            : Losses.scored(s, request.labelled(), logits, classes);
            s.use(made); // outputs
            return out;
        }

        /** The first token's states, or the mean of all that are no padding. */
        private Value pooled(Scope s, Value states) {
            if (!request.config().text("classifier_pooling", "cls").equals("mean")) {
                s.line("last_hidden_state = last_hidden_state[:, 0]");
                return s.op("aten.select.int", "self", states, "dim", 1, "index", 0);
            }
            Value mask;
            if (request.options().mask() == ModelOptions.Mask.NONE) {
                s.line("attention_mask = torch.ones(last_hidden_state.shape[:2], dtype=torch.bool)");
                SymExpr[] sizes = {Request.BATCH, Request.SEQ};
                mask = s.op("aten.ones.default", "size", sizes, "dtype", DType.BOOL);
            } else {
                mask = s.given("attention_mask");
            }
            s.line("last_hidden_state = (last_hidden_state * attention_mask.unsqueeze(-1)).sum(dim=1) / count");
            Value column = s.op("aten.unsqueeze.default", "self", mask, "dim", -1);
            Value kept = s.op("aten.mul.Tensor", "self", states, "other", column);
            Value sum = s.op("aten.sum.dim_IntList", "self", kept, "dim", new long[] {1});
            Value count = s.op("aten.sum.dim_IntList", "self", mask, "dim", new long[] {1}, "keepdim", true);
            return s.op("aten.div.Tensor", "self", sum, "other", count);
        }

        /** transformers, loss/loss_utils.py, ForMaskedLMLoss. */
        private Value loss(Scope s, Value logits) {
            s.line("loss = self.loss_function(logits, labels, vocab_size)");
            return s.function("ForMaskedLMLoss", () -> {
                s.line("logits = logits.float()");
                Value wide = s.op("aten.to.dtype", "self", logits, "dtype", DType.FLOAT32);
                s.line("logits = logits.view(-1, vocab_size)");
                Value rows = s.op("aten.view.default", "self", wide, "size", new long[] {-1, classes});
                s.line("labels = labels.view(-1)");
                Value wanted = s.op("aten.view.default", "self", s.given("labels"), "size", new long[] {-1});
                s.line("loss = fixed_cross_entropy(logits, labels)");
                Value loss = s.op("aten.cross_entropy_loss.default", "self", rows, "target", wanted);
                return s.scalar(loss, DType.FLOAT32);
            });
        }
    }

    /** {@code ModernBertPredictionHead}. */
    private static final class PredictionHead extends Layer {
        private final Layer dense;
        private final Layer activation;
        private final Layer norm;

        private PredictionHead(ModelConfig c) {
            long width = c.size("hidden_size");
            dense = child("dense", Layers.linear(width, width, c.flag("classifier_bias", false)));
            activation = child("act", Activations.of(c, "classifier_activation", "gelu"));
            norm = child("norm", ModernBert.norm(c));
        }

        @Override
        protected String type() {
            return CLASS + "PredictionHead";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return self.norm(self.act(self.dense(x)))");
            return s.call(norm, s.call(activation, s.call(dense, in[0])));
        }
    }

    /** {@code ModernBertEmbeddings}. */
    private static final class TokenEmbeddings extends Layer {
        private final Layer tokens;
        private final Layer norm;
        private final Layer dropout;

        private TokenEmbeddings(ModelConfig c) {
            tokens = child("tok_embeddings", Layers.embedding(c.size("vocab_size"), c.size("hidden_size")));
            norm = child("norm", ModernBert.norm(c));
            dropout = child("drop", Layers.dropout(c.number("embedding_dropout", 0)));
        }

        @Override
        protected String type() {
            return CLASS + "Embeddings";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = self.drop(self.norm(self.tok_embeddings(input_ids)))");
            return s.call(dropout, s.call(norm, s.call(tokens, in[0])));
        }
    }

    /** {@code ModernBertModel}. */
    private static final class Model extends Layer {
        private final Request request;
        private final TokenEmbeddings embeddings;
        private final List<Layer> layers = new ArrayList<>();
        private final Layer norm;
        private final Layer rotary;
        private final Pass pass = new Pass();
        private final Map<String, Long> windows;

        private Model(Request request) {
            this.request = request;
            ModelConfig c = request.config();
            embeddings = child("embeddings", new TokenEmbeddings(c));
            ModuleList list = child("layers", new ModuleList());
            long every = c.size("global_attn_every_n_layers", 3);
            long window = c.size("local_attention", 128) / 2;
            AttentionShape shape = AttentionShape.of(c, CLASS + "Attention").withCausal(false);
            List<String> kinds = c.texts("layer_types");
            for (int i = 0; i < c.size("num_hidden_layers"); i++) {
                boolean slides = kinds.isEmpty() ? i % every != 0 : kinds.get(i).equals(AttentionShape.SLIDING);
                AttentionShape own = slides ? shape.sliding(window) : shape;
                layers.add(list.add(new ModernLayer(own, request, pass, i == 0)));
            }
            norm = child("final_norm", ModernBert.norm(c));
            rotary = child(
                    "rotary_emb",
                    new RotaryEmbedding(
                            CLASS + "RotaryEmbedding",
                            request,
                            shape.size(),
                            List.of(AttentionShape.FULL, AttentionShape.SLIDING),
                            false));
            windows = Map.of(AttentionShape.SLIDING, window);
        }

        @Override
        protected String type() {
            return CLASS + "Model";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("position_ids = torch.arange(seq_len, device=device).unsqueeze(0)");
            Value counted = s.op("aten.arange.default", "end", Request.SEQ, "dtype", DType.INT64);
            Value positions = s.op("aten.unsqueeze.default", "self", counted, "dim", 0);
            s.line("embedded = self.embeddings(input_ids)");
            Value x = s.call(embeddings, in[0]);
            s.line("full_mask = create_bidirectional_mask(embedded, attention_mask)");
            pass.mask(AttentionShape.FULL, Masks.bidirectional(s, request, x, Masks.NO_WINDOW));
            s.line("sliding_mask = create_bidirectional_sliding_window_mask(embedded, attention_mask)");
            pass.mask(
                    AttentionShape.SLIDING,
                    Masks.bidirectional(s, request, x, windows.getOrDefault(AttentionShape.SLIDING, Masks.NO_WINDOW)));
            for (String kind : List.of(AttentionShape.FULL, AttentionShape.SLIDING)) {
                s.line("turns_of_" + kind + " = self.rotary_emb(embedded, position_ids, layer_type)");
                Value[] turns = s.results(rotary, x, positions, new Value(kind));
                pass.rotate(kind, new Pass.Rotation(turns[0], turns[1]));
            }
            Value embedded = x;
            s.line("x = layer(x)");
            for (Layer layer : layers) {
                x = s.call(layer, x);
            }
            s.line("x = self.final_norm(x)");
            x = s.call(norm, x);
            s.use(embedded); // mask_kwargs
            return x;
        }
    }
}
