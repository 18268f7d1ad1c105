package dev.headroom.model.family.generation;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.CacheStep;
import dev.headroom.model.family.decoder.CachedModel;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.generation.Generation;
import dev.headroom.model.generation.GenerationProgram;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/** {@code generate(do_sample=False)} of a family's model (transformers, generation/utils.py). */
public final class GreedySearch {
    private static final SymExpr SEVERAL = SymExpr.call("Gt", Request.BATCH, SymExpr.of(1));

    private static final String BEGIN = "bos_token_id";

    private static final Set<String> BEGINNING = Set.of(
            "llama",
            "mistral",
            "mixtral",
            "gemma2",
            "gemma3_text",
            "phi3",
            "gpt2",
            "gpt_bigcode",
            "gpt_neox",
            "opt",
            "falcon",
            "deepseek_v3");

    private final String name;
    private final Request request;
    private final Function<Request, Layer> family;
    private final List<Long> windows;

    /**
     * @param family writes the model of a request
     * @throws UserInputException for a model that generates nothing
     */
    public GreedySearch(String name, Request request, Function<Request, Layer> family) {
        this.name = name;
        this.request = request;
        this.family = family;
        if (!(family.apply(request) instanceof CachedModel model)) {
            throw new UserInputException(
                    request.config().source() + ": the model generates no text; leave out `generate`");
        }
        boolean fixed = request.scenario().generation().cache() != Generation.Cache.DYNAMIC;
        this.windows = List.copyOf((fixed ? model.used() : model.windows()).values());
    }

    /** The program, as a graph. */
    public Graph graph() {
        Generation asked = request.scenario().generation();
        CacheStep first = step(0);
        ModelInputs inputs = new ModelInputs(request.at(first), first, windows);
        Prompt prompt = new Prompt(inputs, beginsWithToken());
        List<GenerationProgram.Stage> prefill = List.of(
                new GenerationProgram.Stage(SEVERAL, graph(first, (s, model) -> prompt.write(s, model, true))),
                new GenerationProgram.Stage(SymExpr.of(1), graph(first, (s, model) -> prompt.write(s, model, false))));
        NextToken last = new NextToken(inputs, asked.tokens() == 1);
        return new GenerationProgram(prefill, decode(asked), graph(first, (s, model) -> last.choose(s))).graph();
    }

    private CacheStep step(long past) {
        Long window =
                windows.stream().filter(w -> w > Masks.NO_WINDOW).findFirst().orElse(null);
        return CacheStep.of(request.seq(), request.scenario().generation(), past, window);
    }

    /** A graph for each kind of step, from the first pass on that is of it; later ones come first. */
    private List<GenerationProgram.Stage> decode(Generation asked) {
        Map<CacheStep, Graph> graphs = new HashMap<>();
        List<GenerationProgram.Stage> out = new ArrayList<>();
        CacheStep before = null;
        for (long past = request.seq(); past < request.seq() + asked.tokens() - 1; past++) {
            CacheStep step = step(past);
            if (!step.equals(before)) {
                SymExpr from = SymExpr.call("Ge", SymExpr.symbol(GenerationProgram.PAST), SymExpr.of(past));
                out.add(0, new GenerationProgram.Stage(from, graphs.computeIfAbsent(step, this::decode)));
                before = step;
            }
        }
        return out;
    }

    private Graph decode(CacheStep step) {
        NextToken next = new NextToken(new ModelInputs(request.at(step), step, windows), step.first());
        return graph(step, next::write);
    }

    private Graph graph(CacheStep step, BiFunction<Scope, Layer, Value[]> script) {
        Request at = request.at(step);
        Layer root = family.apply(at);
        Model model = Model.of(name, root).type(at.type()).eval();
        if (step.prompt()) {
            model.input(Names.INPUT_IDS, DType.INT64, Request.BATCH, Request.SEQ);
            model.input(Names.ATTENTION_MASK, DType.INT64, Request.BATCH, Request.SEQ);
        }
        Graph pass = model.graph((s, inputs) -> script.apply(s, root));
        return pass.withHeld(pass.held().asLoaded());
    }

    /** Families whose configs name such a token where a file does not (their configuration classes). */
    private boolean beginsWithToken() {
        ModelConfig config = request.config();
        return config.entries().containsKey(BEGIN) ? config.has(BEGIN) : BEGINNING.contains(config.modelType());
    }
}
