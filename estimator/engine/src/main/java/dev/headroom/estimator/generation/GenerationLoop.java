package dev.headroom.estimator.generation;

import dev.headroom.estimator.program.GraphRunner;
import dev.headroom.estimator.program.Variables;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.generation.GenerationProgram;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * The loop of {@code generate()} without sampling (transformers, generation/utils.py, GenerationMixin._sample). Memory
 * is read where a hook after the model's forward would: after the prompt, the first passes, every sixteenth, the last.
 */
public final class GenerationLoop {
    private static final int FIRST = 3;
    private static final int EVERY = 16;

    private final EagerRuntime runtime;
    private final GenerationProgram program;
    private final int tokens;
    private final BiFunction<Graph, Map<String, Long>, GraphRunner> runners;
    private final IdentityHashMap<Graph, GraphRunner> made = new IdentityHashMap<>();
    private final Variables variables;

    /** Changes from pass to pass; the runners read it. */
    private final Map<String, Long> symbols;

    /**
     * @param prepared whose graph is a program
     * @param runners makes what runs a graph, under symbols that change
     * @throws UserInputException for a model of which only one forward pass is known
     */
    public GenerationLoop(
            EagerRuntime runtime, PreparedRun prepared, BiFunction<Graph, Map<String, Long>, GraphRunner> runners) {
        this.runtime = runtime;
        this.runners = runners;
        this.tokens = prepared.scenario().generation().tokens();
        this.program = GenerationProgram.of(prepared.graph())
                .orElseThrow(() -> new UserInputException(prepared.graph().name()
                        + ": `generate` needs a model from a config.json; an archive holds one forward pass without a"
                        + " cache"));
        this.symbols = new HashMap<>(prepared.symbols());
        this.variables = new Variables(runtime);
    }

    /**
     * Plays the loop.
     *
     * @param inputs the model's tensors and the batch, by value name
     * @param begin is told where the loop comes to
     * @param read has memory read at the end of a pass
     */
    public void play(Map<String, Tensor> inputs, Consumer<Moment> begin, Consumer<Moment> read) {
        boolean before = runtime.setGradMode(false);
        long prompt = Objects.requireNonNull(symbols.get(GenerationProgram.PROMPT), GenerationProgram.PROMPT);
        symbols.put(GenerationProgram.NEW_TOKENS, (long) tokens);
        symbols.put(GenerationProgram.PAST, 0L);
        Moment moment = Moment.of(Phase.PREFILL, 0);
        begin.accept(moment);
        run(program.prefill(), inputs);
        read.accept(moment);
        for (int n = 1; n < tokens; n++) {
            symbols.put(GenerationProgram.PAST, prompt + n - 1);
            moment = Moment.of(Phase.DECODE, n);
            begin.accept(moment);
            run(program.decode(), inputs);
            if (n < FIRST || n % EVERY == 0 || n == tokens - 1) {
                read.accept(moment);
            }
        }
        begin.accept(Moment.of(Phase.GENERATE));
        run(program.end(), inputs); // what it returns stays with the caller
        variables.deleteAll();
        read.accept(Moment.of(Phase.GENERATE));
        runtime.setGradMode(before);
    }

    private void run(List<GenerationProgram.Stage> stages, Map<String, Tensor> inputs) {
        run(GenerationProgram.at(stages, symbols), inputs);
    }

    private void run(Graph graph, Map<String, Tensor> inputs) {
        Map<String, Tensor> all = new HashMap<>(inputs);
        all.putAll(variables.held());
        made.computeIfAbsent(graph, this::runner).run(all);
    }

    private GraphRunner runner(Graph graph) {
        GraphRunner runner = runners.apply(graph, symbols);
        runner.with(variables);
        return runner;
    }
}
