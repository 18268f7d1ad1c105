package dev.headroom.model.checkpoint;

import static dev.headroom.model.checkpoint.Chains.SEQUENTIAL;
import static dev.headroom.model.checkpoint.Chains.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which modules are the chain of a model, and how its calls change. */
class ChainTest {
    /** One operator in each module of an {@code nn.Sequential}. */
    private static Chains container(Chains chain, String path, int modules) {
        for (int i = 0; i < modules; i++) {
            chain.then("mul", call(path, SEQUENTIAL), call(path + "." + i, "Module"));
        }
        return chain;
    }

    private static Chains model() {
        return new Chains(call("", "Model"));
    }

    private static List<String> ranges(Graph graph, int segments) {
        return Chain.of(graph).split(segments, true).regions().stream()
                .map(r -> r.from() + "-" + r.to())
                .toList();
    }

    private static List<String> calls(Node node) {
        return node.moduleStack().stream().map(Node.ModuleCall::call).toList();
    }

    @Test
    void halfOfTheOperatorsHaveToBeInTheContainers() {
        assertNotNull(
                Chain.of(container(model(), "a", 2).then("mul").then("mul").graph()));
        assertNull(Chain.of(
                container(model(), "a", 2).then("mul").then("mul").then("mul").graph()));
    }

    @Test
    void oneModuleIsNoChain() {
        assertNull(Chain.of(container(model(), "a", 1).graph()));
        assertNull(Chain.of(Chains.sequential(1, "mul")));
        assertNotNull(Chain.of(Chains.sequential(2, "mul")));
    }

    @Test
    void anOperatorBetweenContainersParts() {
        Graph graph = container(container(model(), "a", 1).then("mul"), "b", 3).graph();
        assertEquals(List.of("0-3"), ranges(graph, 2));
        assertEquals(List.of("0-2", "2-3", "3-4"), ranges(graph, 4));
    }

    @Test
    void aModuleBetweenContainersParts() {
        Chains chain = container(model(), "a", 1).then("mul", call("norm", "Module"));
        assertEquals(List.of("0-2", "2-3"), ranges(container(chain, "b", 2).graph(), 3));
    }

    @Test
    void theLongerOfTwoChainsCountsAndOfEqualOnesTheFirst() {
        Graph longer = container(container(model(), "a", 3).then("mul"), "b", 2).graph();
        assertEquals(List.of("0-1", "1-2"), ranges(longer, 3));
        Chains equal = model().then("mul", call("a", SEQUENTIAL), call("a.0", "Module"));
        equal.then("mul", call("a", SEQUENTIAL), call("a.0", "Module"));
        equal.then("mul", call("a", SEQUENTIAL), call("a.1", "Module")).then("mul");
        assertEquals(List.of("0-2"), ranges(container(equal, "b", 2).graph(), 2));
    }

    @Test
    void theOutermostContainerCounts() {
        Chains chain = new Chains(call("", SEQUENTIAL));
        container(chain, "0", 3).then("mul", call("1", "Module"));
        assertEquals(List.of("0-3"), ranges(chain.graph(), 2));
    }

    /** Of eight modules, the numbers 0, 3 and 5 run an operator. */
    @Test
    void modulesAtTheEndWithoutOperatorsCountToo() {
        Chains chain = new Chains(call("", SEQUENTIAL));
        for (String path : List.of("0", "3", "5")) {
            chain.then("mul", call(path, "Module"));
        }
        assertEquals(List.of("0-1"), ranges(chain.graph(), 2));
        assertEquals(List.of("0-2"), ranges(chain.graph(List.of("", "0", "7", "5.9", "head")), 2));
    }

    @Test
    void segmentsAndTheTailAreCallsInPlaceOfTheContainers() {
        Chains chain = new Chains(call("", "Model"), call("body", "Body"));
        chain.then("mul", call("body.stem", "Module"));
        container(chain, "body.s", 3).then("mul", call("body.head", "Module"));
        List<Node> nodes = Chain.of(chain.graph()).split(2, true).graph().nodes();
        assertEquals(List.of("call of ", "call of body", "segment 0", "call of body.stem"), calls(nodes.get(0)));
        assertEquals(List.of("call of ", "call of body", "segment 0", "call of body.s.0"), calls(nodes.get(1)));
        assertEquals(List.of("call of ", "call of body", "segment 1", "call of body.s.1"), calls(nodes.get(2)));
        assertEquals(List.of("call of ", "call of body", "segment 1", "call of body.s.2"), calls(nodes.get(3)));
        assertEquals(List.of("call of ", "segment 2", "call of body.head"), calls(nodes.get(4)));
        assertEquals("body", nodes.get(0).moduleStack().get(2).path());
        assertEquals("body", nodes.get(4).moduleStack().get(1).path());
    }
}
