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
import java.util.function.BiFunction;

/**
 * The loop of {@code generate()} without sampling (transformers, generation/utils.py, GenerationMixin._sample). Memory
 * is read where a hook after the model's forward would: after the prompt, the first passes, every sixteenth, the last.
 */
public final class GenerationLoop {
    private static final int FIRST = 3;
    private static final int EVERY = 16;

    /** Who is told of the passes. */
    public interface Watcher {
        /**
         * Runs a part of the loop.
         *
         * @param read whether memory is read at its end
         */
        void run(Moment moment, boolean read, Runnable work);
    }

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
                        + ": --generate needs a model from a config.json; an archive holds one forward pass without a"
                        + " cache"));
        this.symbols = new HashMap<>(prepared.symbols());
        this.variables = new Variables(runtime);
    }

    /** @param inputs the model's tensors and the batch, by value name */
    public void play(Map<String, Tensor> inputs, Watcher watcher) {
        boolean before = runtime.setGradMode(false);
        long prompt = symbols.get(GenerationProgram.PROMPT);
        symbols.put(GenerationProgram.NEW_TOKENS, (long) tokens);
        symbols.put(GenerationProgram.PAST, 0L);
        watcher.run(Moment.of(Phase.PREFILL, 0), true, () -> run(program.prefill(), inputs));
        for (int n = 1; n < tokens; n++) {
            symbols.put(GenerationProgram.PAST, prompt + n - 1);
            boolean read = n < FIRST || n % EVERY == 0 || n == tokens - 1;
            watcher.run(Moment.of(Phase.DECODE, n), read, () -> run(program.decode(), inputs));
        }
        watcher.run(Moment.of(Phase.GENERATE), true, () -> {
            run(program.end(), inputs); // what it returns stays with the caller
            variables.deleteAll();
        });
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
