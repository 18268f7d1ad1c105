package dev.headroom.model.family.head;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CausalLanguageModel;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.TextModel;
import dev.headroom.model.family.options.ModelOptions.Task;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Decoders with a head that classifies: sequences by their last token that is no padding, tokens, or the ends of
 * answers (transformers, modeling_layers.py, and the heads that families write by themselves).
 */
public final class DecoderHeads extends SeveralResults {
    /**
     * How a family writes its heads.
     *
     * @param prefix of class names
     * @param base name of the decoder's module
     * @param tagger name of the layer that scores tokens
     * @param widens whether a tagger's loss is of scores in float32
     */
    public record Names(String prefix, String base, String tagger, boolean widens) {
        /** As {@code modeling_layers.py} does. */
        public static Names usual(String prefix) {
            return new Names(prefix, "model", "score", true);
        }
    }

    /** What the classes of language models end with. */
    private static final List<String> WORDS = List.of("ForCausalLM", "LMHeadModel");

    private final Names names;
    private final Request request;
    private final Pass pass;
    private final Task task;
    private final Layer decoder;
    private final Layer dropout;
    private final Layer score;
    private final long classes;

    private DecoderHeads(Names names, Request request, Pass pass, Task task, long width, Layer decoder) {
        this.names = names;
        this.request = request;
        this.pass = pass;
        this.task = task;
        ModelConfig c = request.config();
        boolean answers = task == Task.QUESTION_ANSWERING;
        boolean tags = task == Task.TOKEN_CLASSIFICATION;
        classes = answers ? 2 : Tasks.classes(c);
        this.decoder = child(OfferedHeads.base(c.modelType(), task, names.base()), decoder);
        dropout = Layers.dropout(c.number("classifier_dropout", c.number("hidden_dropout", 0.1)));
        if (tags) {
            child("dropout", dropout);
        }
        score = child(
                answers ? "qa_outputs" : tags ? names.tagger() : "score",
                Layers.linear(width, classes, answers || tags));
    }

    /** A decoder with the head that a request's task, or else its config, names. */
    public static Layer of(
            Names names, Request request, Pass pass, long width, Layer decoder, Supplier<Layer> languageModel) {
        Task task = Tasks.of(request);
        if (task != Task.AUTO && request.scenario().generation().any()) {
            throw new UserInputException("`generate` needs a model that scores words, not one " + Tasks.end(task)
                    + "; leave `generate` or `task` out");
        }
        OfferedHeads.require(request.config(), task);
        String architecture = request.config().architecture();
        boolean words = architecture.isEmpty() || WORDS.stream().anyMatch(architecture::endsWith);
        if (task == Task.AUTO && !words) {
            throw new UserInputException(request.config().source() + ": of this family, Headroom writes language models"
                    + " and classifiers, but \"architectures\" names " + architecture
                    + "; pass `task`, or export the model (headroom export-help)");
        }
        Long batch = request.scenario().sizes().batch();
        boolean several = batch != null && batch > 1;
        if (task == Task.SEQUENCE_CLASSIFICATION && several && !OfferedHeads.padded(request.config())) {
            throw new UserInputException(request.config().source() + " names no token that means padding, without which"
                    + " transformers classifies one sequence at a time; pass `batch=1` or `set=pad_token_id=N`");
        }
        return task == Task.AUTO ? languageModel.get() : new DecoderHeads(names, request, pass, task, width, decoder);
    }

    /**
     * The same around a decoder whose language model multiplies its states by the weights of the words.
     *
     * @param language what the class of the language model ends with
     * @param vocabulary words
     * @param width of the decoder's states
     * @param tied whether the words' weights are the embeddings', where the config says nothing
     */
    public static <T extends Layer & TextModel> Layer around(
            Names names,
            String language,
            Request request,
            Pass pass,
            long vocabulary,
            long width,
            boolean tied,
            T decoder) {
        boolean shared = request.config().flag("tie_word_embeddings", tied);
        return of(
                names,
                request,
                pass,
                width,
                decoder,
                () -> CausalLanguageModel.named(
                        names.prefix() + language,
                        request,
                        pass,
                        vocabulary,
                        width,
                        shared,
                        decoder,
                        names.base(),
                        "lm_head"));
    }

    @Override
    protected String type() {
        return names.prefix() + Tasks.end(task);
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("outputs = self.model(input_ids, attention_mask, position_ids)");
        Value[] made = s.results(decoder, in[0]);
        Value x = made[0];
        if (task == Task.TOKEN_CLASSIFICATION) {
            s.line("x = self.dropout(x)");
            x = s.call(dropout, x);
        }
        s.line("logits = self.score(x)");
        Value logits = s.call(score, x);
        List<Value> out = new ArrayList<>(List.of(scored(s, logits, in[0])));
        if (task == Task.SEQUENCE_CLASSIFICATION) {
            out.addAll(s.cached(pass.cached()));
        }
        out.addAll(List.of(made).subList(1, made.length));
        s.use(made[0]); // outputs
        return out.toArray(Value[]::new);
    }

    private Value[] scored(Scope s, Value logits, Value ids) {
        return switch (task) {
            case QUESTION_ANSWERING -> Losses.spans(s, request.labelled(), logits);
            case TOKEN_CLASSIFICATION -> {
                if (!request.labelled()) {
                    yield new Value[] {logits};
                }
                Value loss = names.widens() ? Losses.tokens(s, logits, classes) : Losses.loss(s, logits, classes);
                yield new Value[] {loss, logits};
            }
            default -> Losses.scored(s, request.labelled(), pooled(s, logits, ids), classes);
        };
    }

    /** The scores of each sequence's last token that is no padding; of the last one where no token means padding. */
    private Value pooled(Scope s, Value logits, Value ids) {
        ModelConfig c = request.config();
        if (!OfferedHeads.padded(c)) {
            s.line("pooled_logits = logits[torch.arange(batch_size), -1]");
            Value last = s.op("aten.select.int", "self", logits, "dim", 1, "index", -1);
            Value rows = s.op("aten.arange.default", "end", Request.BATCH);
            return s.op("aten.index.Tensor", "self", last, "indices", new Value[] {rows});
        }
        s.line("non_pad_mask = (input_ids != pad_token_id).to(torch.int32)");
        Value real = s.op("aten.ne.Scalar", "self", ids, "other", c.count("pad_token_id", 0));
        Value mask = s.op("aten.to.dtype", "self", real, "dtype", DType.INT32);
        s.line("token_indices = torch.arange(input_ids.shape[-1], dtype=torch.int32)");
        Map<String, Object> count = Scope.arguments("end", Request.SEQ);
        count.put("dtype", DType.INT32);
        Value numbers = s.op("aten.arange.default", count);
        s.line("last_non_pad_token = (token_indices * non_pad_mask).argmax(-1)");
        Value products = s.op("aten.mul.Tensor", "self", numbers, "other", mask);
        Value last = s.op("aten.argmax.default", "self", products, "dim", -1);
        s.line("pooled_logits = logits[torch.arange(batch_size), last_non_pad_token]");
        return Losses.picked(s, logits, last);
    }
}
