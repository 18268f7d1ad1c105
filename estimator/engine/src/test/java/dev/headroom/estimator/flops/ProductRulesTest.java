package dev.headroom.estimator.flops;

import static dev.headroom.model.scenario.ScenarioSettings.ATTENTION;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** FLOPs of single calls, reckoned by hand: 2 a multiply-add. */
class ProductRulesTest {
    private final List<Graph.Input> inputs = new ArrayList<>();
    private final List<Node.NamedArgument> arguments = new ArrayList<>();
    private final Map<String, TensorMeta> values = new HashMap<>();

    private String value(String name, boolean gradient, long... sizes) {
        List<SymExpr> exact = LongStream.of(sizes).mapToObj(SymExpr::of).toList();
        values.put(name, new TensorMeta(DType.FLOAT32, exact, exact, SymExpr.of(0), gradient));
        inputs.add(new Graph.Input(Graph.InputKind.PARAMETER, name, name, true));
        return name;
    }

    private ProductRulesTest tensor(String argument, boolean gradient, long... sizes) {
        arguments.add(new Node.NamedArgument(argument, new Argument.Value(value(argument, gradient, sizes))));
        return this;
    }

    private OperatorFlops call(String operator, Scenario.Attention attention, long... result) {
        value("out", false, result);
        inputs.remove(inputs.size() - 1);
        Node node = new Node("n", "aten." + operator + ".default", arguments, List.of("out"), List.of(), "");
        Graph graph = new Graph("g", inputs, List.of(node), List.of(), values, Map.of(), Map.of(), List.of());
        Scenario run = Scenario.defaults().with(ATTENTION, attention);
        return GraphFlops.of(graph, run, Map.of()).byModule().get("");
    }

    private void expect(long forward, long backward, OperatorFlops flops) {
        assertEquals(new Flops(forward, 0), flops.forward());
        assertEquals(new Flops(backward, 0), flops.backward());
    }

    @Test
    void matrixProductsBroadcastBatches() {
        tensor("self", true, 5, 1, 2, 3).tensor("other", false, 7, 3, 4);
        expect(2 * 35 * 2 * 3 * 4, 2 * 35 * 2 * 3 * 4, call("matmul", Scenario.Attention.AUTO, 5, 7, 2, 4));
    }

    @Test
    void vectorsAreMatricesOfOneRowOrColumn() {
        tensor("self", true, 3).tensor("other", true, 3, 4);
        expect(24, 48, call("matmul", Scenario.Attention.AUTO, 4));
    }

    @Test
    void groupedConvolutionsMultiplyWithinTheirGroups() {
        tensor("input", true, 2, 8, 10, 10).tensor("weight", true, 8, 1, 3, 3);
        long flops = 2L * 2 * (8 * 9) * (8 * 8);
        expect(flops, 2 * flops, call("conv2d", Scenario.Attention.AUTO, 2, 8, 8, 8));
    }

    @Test
    void transposedConvolutionsApplyTheirFilterAtEveryPlaceOfTheInput() {
        tensor("input", false, 2, 6, 10).tensor("weight", true, 6, 4, 3);
        long flops = 2L * 2 * (6 * 4 * 3) * 10;
        expect(flops, flops, call("conv_transpose1d", Scenario.Attention.AUTO, 2, 4, 12));
    }

    /** Forward two products; backward four, and the scores once more where no kernel kept them. */
    @ParameterizedTest
    @CsvSource({"MATH, 4", "AUTO, 5"})
    void attentionOfEightSharedHeads(Scenario.Attention attention, long backward) {
        tensor("query", true, 2, 8, 16, 4).tensor("key", true, 2, 2, 32, 4).tensor("value", true, 2, 2, 32, 4);
        long product = 2L * 2 * 8 * 16 * 32 * 4;
        expect(2 * product, backward * product, call("scaled_dot_product_attention", attention, 2, 8, 16, 4));
    }

    @Test
    void einsumContractsFromTheLeft() {
        arguments.add(new Node.NamedArgument("equation", new Argument.Text("bi, ij, jk -> bk")));
        List<String> operands = List.of(value("a", false, 2, 3), value("b", true, 3, 4), value("c", true, 4, 5));
        arguments.add(new Node.NamedArgument("tensors", new Argument.Values(operands)));
        long first = 2 * 2 * 3 * 4;
        long second = 2 * 2 * 4 * 5;
        expect(first + second, first + 2 * second, call("einsum", Scenario.Attention.AUTO, 2, 5));
    }

    @Test
    void otherOperatorsCountByElement() {
        tensor("self", true, 3, 1).tensor("other", false, 3, 4);
        OperatorFlops flops = call("mul", Scenario.Attention.AUTO, 3, 4);
        assertEquals(new Flops(0, 12), flops.forward());
        assertEquals(new Flops(0, 12), flops.backward());
    }
}
