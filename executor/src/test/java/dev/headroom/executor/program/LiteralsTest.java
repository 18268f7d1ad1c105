package dev.headroom.executor.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import org.junit.jupiter.api.Test;

class LiteralsTest {
    /** {@code self.position_embeddings.detach().type_as(x)}: a plain attribute, which Module.cuda() leaves on the host. */
    @Test
    void typeAsBringsATableToTheDevice() {
        Graph graph = Importers.read(Fixtures.folder().resolve("wild").resolve("videomae.pt2"));
        Node before = named(graph, "type_as");
        assertEquals("aten.type_as", before.operator());
        Node after = named(Literals.onDevice(graph), "type_as");
        assertEquals("aten.zeros", after.operator());
        assertTrue(after.arguments().stream().anyMatch(a -> a.value()
                .equals(new Argument.TypeOf(before.reads().get(1)))));
    }

    /** {@code torch.tensor([0.5, 2.0]).to(x.device)} changes no type, and still brings the literal to the device. */
    @Test
    void aPrecisionLeavesLiteralsOnTheirWayToTheDevice() {
        Graph graph = Importers.read(Fixtures.folder().resolve("wild").resolve("live-literals-amp.pt2"));
        Scenario run = Scenario.defaults().with(ScenarioSettings.AMP, DType.BFLOAT16);
        Node after = named(Literals.onDevice(Conversions.inPrecision(graph, run)), "to");
        assertEquals("aten.zeros", after.operator());
        assertEquals(new Argument.Type(DType.FLOAT32), after.argument("dtype"));
    }

    private static Node named(Graph graph, String output) {
        return graph.nodes().stream()
                .filter(n -> n.outputs().contains(output))
                .findFirst()
                .orElseThrow();
    }
}
