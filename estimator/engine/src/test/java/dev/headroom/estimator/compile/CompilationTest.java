package dev.headroom.estimator.compile;

import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE;
import static dev.headroom.model.scenario.ScenarioSettings.COMPILE_REGIONS;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.program.Preparation;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A model whose repeated blocks are compiled one by one, and what runs around them as it is. */
class CompilationTest {
    private static final Graph MODEL = Importers.read(Path.of("../../fixtures/models/small/gpt2.pt2"));

    private static Graph compiled(Scenario run) {
        return Preparation.of(MODEL, run.with(COMPILE, true).with(BATCH, 2L)).graph();
    }

    private static Graph regions() {
        return compiled(Scenario.defaults().with(COMPILE_REGIONS, true).with(AMP, DType.BFLOAT16));
    }

    private static boolean isCode(Node n) {
        return n.target().equals("inductor.call");
    }

    @Test
    void eachBlockIsOneCallAndTheRestRunsAsItIs() {
        Graph g = regions();
        List<String> blocks = g.nodes().stream()
                .filter(CompilationTest::isCode)
                .map(n -> n.moduleStack().get(n.moduleStack().size() - 1).path())
                .toList();
        assertEquals(List.of("transformer.h.0", "transformer.h.1"), blocks);
        List<Node> outside = MODEL.nodes().stream()
                .filter(n -> n.moduleStack().stream().noneMatch(m -> m.path().startsWith("transformer.h.")))
                .toList();
        assertEquals(
                outside.stream().map(Node::name).toList(),
                g.nodes().stream().filter(n -> !isCode(n)).map(Node::name).toList());
    }

    /** Rules of compiling are of one version; an H100 showed that others fuse otherwise. */
    @Test
    void anEarlierVersionIsSaidToCompileOtherwise() {
        assertFalse(regions().held().notes().toString().contains("it is compiled as PyTorch"));
        List<String> notes = compiled(Scenario.defaults().with(TORCH, TorchVersion.of("2.11")))
                .held()
                .notes();
        assertTrue(notes.stream().anyMatch(n -> n.contains("2.11 may fuse and keep other values")), notes::toString);
    }

    /** Numbers that are computed from a parameter have a gradient, however many calls lie between. */
    @Test
    void whatRunsAsItIsKnowsWhatWantsAGradient() {
        Set<String> trained = new HashSet<>();
        MODEL.inputs().stream()
                .filter(i -> i.kind() == Graph.InputKind.PARAMETER)
                .forEach(i -> trained.add(i.value()));
        for (Node n : MODEL.nodes()) {
            if (n.reads().stream().anyMatch(trained::contains)) {
                n.outputs().stream()
                        .filter(o -> MODEL.values().get(o).dtype().isFloatingPoint())
                        .forEach(trained::add);
            }
        }
        Graph g = regions();
        int with = 0;
        for (Node n : g.nodes()) {
            for (String made : isCode(n) ? List.<String>of() : n.outputs()) {
                TensorMeta meta = g.values().get(made);
                assertEquals(trained.contains(made), meta.requiresGrad(), made);
                with += meta.requiresGrad() ? 1 : 0;
            }
        }
        assertTrue(with > 5);
    }

    /** Under autocast the sums that go along blocks stay as they are, and what is made by a product is half. */
    @Test
    void typesGoAlong() {
        Graph g = regions();
        for (Node n : g.nodes()) {
            DType expected =
                    switch (n.target()) {
                        case "aten.linear.default" -> DType.BFLOAT16;
                        case "inductor.call", "aten.embedding.default", "aten.layer_norm.default" -> DType.FLOAT32;
                        default -> null;
                    };
            if (expected != null) {
                assertEquals(expected, g.values().get(n.outputs().get(0)).dtype(), n.name());
            }
        }
        Graph half = compiled(Scenario.defaults().with(COMPILE_REGIONS, true).with(DTYPE, DType.BFLOAT16));
        for (Node n : half.nodes()) {
            n.outputs().stream()
                    .map(o -> half.values().get(o).dtype())
                    .filter(DType::isFloatingPoint)
                    .forEach(type -> assertEquals(DType.BFLOAT16, type, n.name()));
        }
    }

    /** The loss, before which transformers warns, is a graph of its own; the last hidden state is alive across. */
    @Test
    void aWholeModelIsACallAndItsLossAnother() {
        Graph g = compiled(Scenario.defaults());
        assertEquals(
                List.of("inductor.call", "inductor.call"),
                g.nodes().stream().map(Node::target).toList());
        Set<String> read = new HashSet<>();
        for (Node call : g.nodes()) {
            assertEquals("", call.moduleStack().get(0).path());
            assertEquals(1, call.moduleStack().size());
            read.addAll(call.reads());
        }
        for (Graph.Input i : MODEL.inputs()) {
            boolean used = MODEL.nodes().stream().anyMatch(n -> n.reads().contains(i.value()));
            assertEquals(used, read.contains(i.value()), i.value());
        }
        List<String> first = g.nodes().get(0).outputs();
        assertTrue(first.contains("layer_norm_4") || first.contains("view_23"), first.toString());
        // to() of the scores, which have the type already, hands on what it is given.
        assertEquals(
                List.of("cross_entropy_loss", "linear"),
                g.outputs().stream().map(Graph.Output::value).toList());
        assertTrue(first.contains("linear"));
        assertTrue(g.nodes().get(1).outputs().contains("cross_entropy_loss"));
        assertTrue(g.held().notes().stream().anyMatch(n -> n.startsWith("torch.compile is estimated")));
        assertFalse(g.held().notes().stream().anyMatch(n -> n.startsWith("no decomposition")));
    }

    /** Code that was made once serves all calls that need the same. */
    @Test
    void blocksThatAreAlikeShareTheirCode() {
        List<Object> code = regions().nodes().stream()
                .filter(CompilationTest::isCode)
                .map(n -> (Object) ((Argument.Attached) n.arguments().get(1).value()).content())
                .toList();
        assertSame(code.get(0), code.get(1));
    }
}
