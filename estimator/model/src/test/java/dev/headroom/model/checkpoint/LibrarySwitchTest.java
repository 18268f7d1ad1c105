package dev.headroom.model.checkpoint;

import static dev.headroom.model.checkpoint.Chains.call;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the switches of libraries checkpoint, and what such a checkpoint keeps. */
class LibrarySwitchTest {
    private static final String PACKAGE = "transformers.models.some.modeling_some.";
    private static final Node.ModuleCall LAYER = call("layers.0", PACKAGE + "SomeLayer");

    private static Chains model() {
        return new Chains(call("", PACKAGE + "SomeModel"));
    }

    private static List<String> inputs(Graph graph) {
        List<Region> regions = LibrarySwitch.regions(graph);
        assertEquals(1, regions.size());
        return regions.get(0).inputs();
    }

    @ParameterizedTest
    @CsvSource({
        "h.0, transformers.SomeLayer, 1",
        "h.0, transformers.SomePreLayerNorm, 1",
        "h.0, transformers.SomeBlock, 1",
        "h.0, transformers.SomeStage, 1",
        "h.0, transformers.SomeMLP, 0",
        "h.0, torch.nn.modules.SomeLayer, 0",
        "encoder, transformers.SomeLayer, 0",
    })
    void layersOfTransformersAreNumberedAndNamedSo(String path, String type, int checkpoints) {
        Graph graph = model().then("mul", call(path, type)).graph();
        assertEquals(checkpoints, LibrarySwitch.regions(graph).size());
    }

    @Test
    void modelsOfOtherLibrariesHaveNoSwitch() {
        Graph graph = new Chains(call("", "some.Model"))
                .then("mul", call("h.0", PACKAGE + "SomeLayer"))
                .graph();
        assertEquals(List.of(), LibrarySwitch.regions(graph));
    }

    @Test
    void timmsBlocksAreNumberedAndItsOwn() {
        Chains chain = new Chains(call("", "timm.models.some.Some"));
        chain.then("mul", call("stem", "timm.models.some.Stem"));
        chain.then("mul", call("blocks.0", "timm.models.some.Block"));
        chain.then("mul", call("norms.0", "timm.layers.norm.Norm"));
        List<Region> regions = LibrarySwitch.regions(chain.graph());
        assertEquals(List.of(1), regions.stream().map(Region::from).toList());
    }

    @Test
    void positionsThatTheCallerHandsOverAreKeptWithoutBeingRead() {
        Chains chain =
                model().then("exp").source("a line\n    position_ids = make()").then("exp");
        assertEquals(
                List.of("v1", "v0"), inputs(chain.then("mul", LAYER).then("exp").graph()));
    }

    /** PyTorch's run of a Llama with two layers wrapped one by one holds 8 bytes more for every position. */
    @Test
    void layersThatAreNamedAreGivenThemToo() {
        Chains chain = model().then("exp").source("position_ids = make()").then("exp");
        Graph graph = chain.then("mul", LAYER).then("exp").graph();
        assertEquals(List.of("v0"), LibrarySwitch.layers(graph).given(2, 3));
        assertEquals(List.of(), LibrarySwitch.layers(graph).given(3, 4));
    }

    @Test
    void theLatestPositionsBeforeTheLayerCount() {
        Chains chain = model().then("exp").source("position_ids = make()");
        chain.then("exp").source("position_ids = other()").then("exp").then("mul", LAYER);
        chain.then("exp").source("position_ids = later()");
        assertEquals(List.of("v2", "v1"), inputs(chain.graph()));
    }

    @Test
    void onlyTheLineThatMadeTheValueCounts() {
        Chains chain =
                model().then("exp").source("position_ids = make()\nx = y").then("exp");
        assertEquals(List.of("v1"), inputs(chain.then("mul", LAYER).graph()));
    }

    /** A variable of that name in another module's function is not the caller's. */
    @Test
    void positionsOfAnotherFunctionDoNotCount() {
        Chains chain = model().then("exp", call("embed", PACKAGE + "Embed")).source("position_ids = make()");
        assertEquals(List.of("v1"), inputs(chain.then("exp").then("mul", LAYER).graph()));
        Node.ModuleCall decoder = call("decoder", PACKAGE + "Decoder");
        Chains deeper =
                model().then("exp", call("encoder", PACKAGE + "Encoder")).source("position_ids = make()");
        assertEquals(
                List.of("v1"),
                inputs(deeper.then("exp", decoder).then("mul", decoder, LAYER).graph()));
    }
}
