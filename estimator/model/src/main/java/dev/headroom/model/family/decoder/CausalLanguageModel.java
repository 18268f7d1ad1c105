package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A decoder with a head that scores the next token, and the loss of {@code ForCausalLMLoss} when it has labels. */
public final class CausalLanguageModel extends SeveralResults implements CachedModel {
    private final String type;
    private final Request request;
    private final Pass pass;
    private final long vocabulary;
    private final TextModel decoder;
    private final Layer model;
    private final long width;
    private final boolean tied;
    private final Layer head;
    private final Scores scores;
    private boolean loses = true;

    /**
     * @param type class name
     * @param tied whether the head's weight is that of the embeddings
     */
    public CausalLanguageModel(
            String type, Request request, Pass pass, long vocabulary, long width, boolean tied, Decoder model) {
        this(type, request, pass, vocabulary, width, tied, model, Scores.PLAIN);
    }

    /** @param scores what is done with them before the loss */
    public CausalLanguageModel(
            String type,
            Request request,
            Pass pass,
            long vocabulary,
            long width,
            boolean tied,
            Decoder model,
            Scores scores) {
        this(type, request, pass, vocabulary, width, tied, model, model, scores, "model", "lm_head");
    }

    /** A model whose decoder and head are registered under other names. */
    public static <T extends Layer & TextModel> CausalLanguageModel named(
            String type,
            Request request,
            Pass pass,
            long vocabulary,
            long width,
            boolean tied,
            T model,
            String modelName,
            String headName) {
        return named(type, request, pass, vocabulary, width, tied, model, modelName, headName, Scores.PLAIN);
    }

    /** The same with something done to the scores before the loss. */
    public static <T extends Layer & TextModel> CausalLanguageModel named(
            String type,
            Request request,
            Pass pass,
            long vocabulary,
            long width,
            boolean tied,
            T model,
            String modelName,
            String headName,
            Scores scores) {
        return new CausalLanguageModel(
                type, request, pass, vocabulary, width, tied, model, model, scores, modelName, headName);
    }

    private CausalLanguageModel(
            String type,
            Request request,
            Pass pass,
            long vocabulary,
            long width,
            boolean tied,
            TextModel decoder,
            Layer model,
            Scores scores,
            String modelName,
            String headName) {
        this.decoder = decoder;
        this.width = width;
        this.tied = tied;
        this.scores = scores;
        this.type = type;
        this.request = request;
        this.pass = pass;
        this.vocabulary = vocabulary;
        this.model = child(modelName, model);
        head = child(headName, Layers.linear(width, vocabulary, scores.biased()));
        if (tied) {
            head.tie("weight", decoder.embeddings(), "weight");
        }
    }

    /** The decoder that the head is for. */
    public TextModel decoder() {
        return decoder;
    }

    /** The same head and loss on a model that holds the decoder. */
    public CausalLanguageModel within(String name, Layer whole) {
        return within(name, whole, scores);
    }

    /** The same with something else done to the scores. */
    public CausalLanguageModel within(String name, Layer whole, Scores scores) {
        return new CausalLanguageModel(
                name, request, pass, vocabulary, width, tied, decoder, whole, scores, "model", "lm_head");
    }

    /** Leaves the loss to the model that holds this one. */
    public CausalLanguageModel withoutLoss() {
        loses = false;
        return this;
    }

    @Override
    public Map<String, Long> windows() {
        return decoder.windows();
    }

    @Override
    public Map<String, Long> used() {
        return decoder.used();
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("outputs = self.model(input_ids, attention_mask, position_ids)");
        Value[] made = s.results(model, in[0]);
        Value x = made[0];
        s.line("logits = self.lm_head(outputs[:, slice_indices, :])");
        long first = request.step() == null ? 0 : -1;
        Value kept = s.op("aten.slice.Tensor", "self", x, "dim", 1, "start", first, "end", Long.MAX_VALUE);
        Value logits = s.call(head, scores.before(s, head, kept));
        logits = scores.write(s, logits);
        List<Value> out = new ArrayList<>();
        List<Value> more = new ArrayList<>();
        if (request.labelled() && loses) {
            Value loss = loss(s, logits);
            List<Value> routed = pass.routed();
            if (!routed.isEmpty() && RouterLoss.asked(request)) {
                Value[] both = RouterLoss.add(s, request, routed, loss);
                out.addAll(List.of(both));
                more.addAll(routed);
            } else {
                out.add(loss);
            }
        }
        out.add(logits);
        out.addAll(s.cached(pass.cached()));
        out.addAll(List.of(made).subList(1, made.length));
        out.addAll(more);
        return out.toArray(Value[]::new);
    }

    /** transformers, loss/loss_utils.py, ForCausalLMLoss. */
    public Value loss(Scope s, Value logits) {
        s.line("loss = self.loss_function(logits.float(), labels)");
        Value wide = s.op("aten.to.dtype", "self", logits, "dtype", DType.FLOAT32);
        Value padded = s.op(
                "aten.pad.default",
                "self",
                new Value("labels"),
                "pad",
                new long[] {0, 1},
                "mode",
                "constant",
                "value",
                -100.0);
        Value moved = s.op("aten.slice.Tensor", "self", padded, "dim", 1, "start", 1, "end", Long.MAX_VALUE);
        Value target = s.op("aten.contiguous.default", "self", moved);
        Value rows = s.op("aten.view.default", "self", wide, "size", new long[] {-1, vocabulary});
        Value wanted = s.op("aten.view.default", "self", target, "size", new long[] {-1});
        Value loss = s.op("aten.cross_entropy_loss.default", "self", rows, "target", wanted);
        return s.scalar(loss, DType.FLOAT32);
    }
}
