package dev.headroom.advisor.explain;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.compiled.CompiledGraph;
import dev.headroom.model.compiled.KeptTensors;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What {@code torch.compile} keeps, copies and saves: read off the graphs that it made, and, where the archive can be
 * played without it, off the same run in eager mode.
 */
final class CompiledFinding {
    private final ExplainedRun explained;
    private final Graph graph;
    private final List<String> answer = new ArrayList<>();
    private final List<Account> accounts = new ArrayList<>();

    private CompiledFinding(ExplainedRun explained, Graph graph) {
        this.explained = explained;
        this.graph = graph;
    }

    /** Nothing for a run that is not compiled. */
    static Optional<Finding> of(PlayedRun asked, ExplainedRun explained) {
        boolean compiles = explained.run().kernels().compile();
        if (!compiles && !calls(asked.request().graph()).findAny().isPresent()) {
            return Optional.empty();
        }
        Graph graph = compiles
                ? Preparation.of(asked.request().graph(), explained.run()).graph()
                : asked.request().graph();
        return Optional.of(new CompiledFinding(explained, graph).finding(asked, compiles));
    }

    private static Stream<CompiledGraph> calls(Graph graph) {
        return graph.nodes().stream()
                .flatMap(n -> n.arguments().stream())
                .map(Node.NamedArgument::value)
                .filter(Argument.Attached.class::isInstance)
                .map(a -> ((Argument.Attached) a).content())
                .filter(CompiledGraph.class::isInstance)
                .map(CompiledGraph.class::cast);
    }

    private Finding finding(PlayedRun asked, boolean compiles) {
        if (compiles) {
            beside(asked);
        }
        kept();
        if (!explained.run().loop().inference()) {
            unused();
        }
        return new Finding(
                "compiled",
                compiles
                        ? "What does torch.compile cost and save beside eager mode?"
                        : "What did torch.compile keep and copy?",
                answer,
                accounts);
    }

    /** The same run without it. */
    private void beside(PlayedRun asked) {
        try {
            ExplainedRun eager = new ExplainedRun(PlayedRun.of(asked.request()
                    .with(explained
                            .run()
                            .with(ScenarioSettings.COMPILE, false)
                            .with(ScenarioSettings.COMPILE_BUDGET, null))
                    .unbounded()));
            long own = explained.peak().allocated();
            long other = eager.peak().allocated();
            long change = own - other;
            account("peak", own, other);
            answer.add("The peak of allocated memory is "
                    + (change == 0
                            ? "the same, " + Words.size(own)
                            : Words.size(Math.abs(change)) + " (" + Words.share(Math.abs(change), other) + ") "
                                    + (change < 0 ? "lower" : "higher") + ": " + Words.size(own) + " instead of "
                                    + Words.size(other))
                    + (change > 0 ? "; compiling does not save here, it costs." : "."));
            if (!explained.run().loop().inference()) {
                saved(eager);
            }
        } catch (UserInputException e) {
            answer.add("There is nothing to compare with: eager mode refuses the run, " + e.getMessage() + ".");
        }
    }

    private void saved(ExplainedRun eager) {
        long own = savedAfterForward(explained);
        long other = savedAfterForward(eager);
        account("saved for backward", own, other);
        answer.add(
                "After forward, " + Words.size(own) + " are saved for backward instead of " + Words.size(other) + " ("
                        + Words.change(own - other) + "): "
                        + (own <= other
                                ? "backward computes the rest again, or fused it away."
                                : "what the compiler keeps instead is larger."));
    }

    private static long savedAfterForward(ExplainedRun run) {
        return run.phase(Phase.FORWARD)
                .map(span -> run.endOf(span).bytes(Category.SAVED_ACTIVATIONS))
                .orElse(0L);
    }

    private void account(String of, long own, long eager) {
        accounts.add(new Account(
                of, own, List.of(new Account.Part("eager mode", eager), new Account.Part("change", own - eager))));
    }

    private void kept() {
        KeptTensors kept = calls(graph).map(KeptTensors::of).reduce(KeptTensors.NONE, KeptTensors::plus);
        if (kept.tensors() == 0) {
            answer.add("Compiled graphs keep nothing but parameters and inputs.");
            return;
        }
        List<Account.Part> parts = new ArrayList<>();
        List<String> words = new ArrayList<>();
        part(parts, words, "copies of weights and inputs in another layout", kept.layouts());
        part(parts, words, "weights and inputs in half precision", kept.casts());
        part(parts, words, "masks of one byte an element", kept.masks());
        parts.add(new Account.Part("others", kept.bytes() - kept.layouts() - kept.casts() - kept.masks()));
        accounts.add(new Account("kept by compiled graphs", kept.bytes(), parts));
        answer.add("Compiled graphs keep " + Words.size(kept.bytes()) + " in " + Words.count(kept.tensors(), "tensor")
                + " besides parameters and inputs"
                + (words.isEmpty() ? "." : ", among them " + Words.list(words) + "."));
    }

    private void part(List<Account.Part> parts, List<String> words, String name, long bytes) {
        if (bytes > 0) {
            parts.add(new Account.Part(name, bytes));
            if (explained.matters(bytes)) {
                words.add(Words.size(bytes) + " of " + name);
            }
        }
    }

    /** Gradients of results that nothing uses are zeros (torch/csrc/autograd/python_function.cpp, PyNode::apply). */
    private void unused() {
        Set<String> used = new HashSet<>();
        graph.nodes().stream().filter(n -> !n.target().startsWith("python.")).forEach(n -> used.addAll(n.reads()));
        if (!graph.outputs().isEmpty() && graph.outputs().get(0).value() != null) {
            used.add(Objects.requireNonNull(graph.outputs().get(0).value()));
        }
        long bytes = 0;
        int count = 0;
        for (Node node : graph.nodes()) {
            for (Node.NamedArgument a : node.arguments()) {
                if (a.value() instanceof Argument.Attached code && code.content() instanceof CompiledGraph compiled) {
                    for (int i = 0; i < compiled.results().size(); i++) {
                        TensorMeta meta = compiled.results().get(i);
                        String value =
                                i < node.outputs().size() ? node.outputs().get(i) : null;
                        if (meta != null && meta.dtype().isFloatingPoint() && !used.contains(String.valueOf(value))) {
                            long[] sizes = meta.sizes().stream()
                                    .mapToLong(s -> s.evaluate(Map.of()))
                                    .toArray();
                            bytes += Shapes.numel(sizes) * meta.dtype().bytes();
                            count++;
                        }
                    }
                }
            }
        }
        if (count > 0 && explained.matters(bytes)) {
            accounts.add(new Account(
                    "results that the loss does not use", bytes, List.of(new Account.Part("zeros", bytes))));
            answer.add("The loss does not use " + Words.count(count, "result")
                    + " of a compiled graph: in backward zeros stand in for their gradients, " + Words.size(bytes)
                    + ". A compiled function that returns only the loss does without them.");
        }
    }
}
