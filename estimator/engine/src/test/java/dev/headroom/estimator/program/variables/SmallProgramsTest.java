package dev.headroom.estimator.program.variables;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When Python's rules end the values of small programs, each written beside its calls. */
class SmallProgramsTest {
    private final List<Node> nodes = new ArrayList<>();
    private final List<Node.ModuleCall> stack = new ArrayList<>(List.of(new Node.ModuleCall("", "", "m.Model")));
    private final List<String> frames = new ArrayList<>(List.of(""));

    private SmallProgramsTest line(int number, String text) {
        frames.set(frames.size() - 1, "  File \"m.py\", line " + number + ", in forward\n    " + text + "\n");
        return this;
    }

    private SmallProgramsTest enter(String call) {
        stack.add(new Node.ModuleCall(call, call.replaceAll("@.*", ""), "m.Part"));
        frames.add("");
        return this;
    }

    private SmallProgramsTest leave() {
        stack.remove(stack.size() - 1);
        frames.remove(frames.size() - 1);
        return this;
    }

    /** {@code results = target(reads)}; "-" is no result. */
    private SmallProgramsTest op(String results, String target, String... reads) {
        List<String> made = Arrays.stream(results.split(" "))
                .map(r -> r.equals("-") ? null : r)
                .toList();
        nodes.add(new Node(
                results,
                target,
                Arrays.stream(reads)
                        .map(r -> new Node.NamedArgument(r, new Argument.Value(r)))
                        .toList(),
                made,
                List.copyOf(stack),
                String.join("", frames)));
        return this;
    }

    private Graph graph(String output) {
        return new Graph(
                "program",
                List.of(new Graph.Input(Graph.InputKind.USER, "x", "x", false)),
                nodes,
                List.of(new Graph.Output(Graph.OutputKind.USER, output, "")),
                Map.of(),
                Map.of(),
                Map.of(),
                List.of());
    }

    private void dies(String output, String... after) {
        check(Lifetimes.of(graph(output)), after);
    }

    private static void check(Lifetimes lifetimes, String... after) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < after.length; i++) {
            out.add(String.join(" ", lifetimes.releasedAfter(i)));
        }
        assertEquals(List.of(after), out);
    }

    @Test
    void aTemporaryDiesWithItsConsumer() {
        line(1, "return (x + 1).relu().sum()")
                .op("a", "aten.add.Tensor", "x")
                .op("b", "aten.relu.default", "a")
                .op("c", "aten.sum.default", "b");
        dies("c", "", "a", "b");
    }

    @Test
    void aVariableLivesUntilItIsAssignedAgain() {
        line(1, "h = x + 1").op("a", "aten.add.Tensor", "x");
        line(2, "y = h * 2").op("b", "aten.mul.Tensor", "a");
        line(3, "h = y.relu().exp()").op("c", "aten.relu.default", "b").op("d", "aten.exp.default", "c");
        line(4, "return h.sum()").op("e", "aten.sum.default", "d");
        dies("e", "", "", "", "c a", "d b"); // the frame lets go of h before y
    }

    @Test
    void anArgumentLivesUntilTheCallReturns() {
        line(1, "return self.block(x + 1) * 2").op("a", "aten.add.Tensor", "x").enter("block");
        line(11, "x = x.relu()").op("b", "aten.relu.default", "a");
        line(12, "x = x.exp()").op("c", "aten.exp.default", "b");
        line(13, "return x.neg()").op("d", "aten.neg.default", "c").leave();
        op("e", "aten.mul.Tensor", "d");
        dies("e", "", "", "b", "c a", "d");
    }

    @Test
    void resultsAreUnpackedToTheirNames() {
        line(1, "q, k = self.qk(x).split(4)")
                .op("qk", "aten.linear.default", "x")
                .op("q k", "aten.split.Tensor", "qk");
        line(2, "q = q * 2").op("s", "aten.mul.Tensor", "q");
        line(3, "return q @ k").op("m", "aten.matmul.default", "s", "k");
        dies("m", "", "qk", "q", "s k");
    }

    /** A function out of sight may return its values in another order than it makes them: readers spell the names. */
    @Test
    void whoReadsAValueTellsItsName() {
        line(1, "x, order = self.shuffle(x)")
                .op("o", "aten.argsort.default", "x")
                .op("v", "aten.gather.default", "x", "o");
        line(2, "x = x.relu().exp()").op("r", "aten.relu.default", "v").op("e", "aten.exp.default", "r");
        line(3, "return x.gather(1, order)").op("g", "aten.gather.default", "e", "o");
        dies("g", "", "", "", "r v", "e o");
    }

    /** What is computed and not read has the name that is left. */
    @Test
    void aResultThatNobodyReadsIsHeldByTheNameThatIsLeft() {
        line(1, "weights, _ = self.march(x)")
                .op("w", "aten.exp.default", "x")
                .op("p", "aten.mul.Tensor", "w")
                .op("c", "aten.sum.default", "p");
        line(2, "y = weights.neg()").op("n", "aten.neg.default", "w");
        line(3, "return y.sum()").op("s", "aten.sum.default", "n");
        dies("s", "", "", "p", "", "w c n");
    }

    /** A call whose arguments stand on lines of their own is one statement, which names its last value alone. */
    @Test
    void argumentsOnFurtherLinesBelongToTheirStatement() {
        line(1, "d = torch.cat([x.exp(),").op("a", "aten.exp.default", "x");
        line(2, "x.neg()], -1)").op("b", "aten.neg.default", "x");
        line(1, "d = torch.cat([x.exp(),").op("c", "aten.cat.default", "a", "b");
        line(3, "return d.sum()").op("s", "aten.sum.default", "c");
        dies("s", "", "", "a b", "c");
    }

    @Test
    void itemsOfAListGoFromTheLastOn() {
        line(1, "y = torch.cat([x.exp(), x.neg()])")
                .op("a", "aten.exp.default", "x")
                .op("b", "aten.neg.default", "x");
        nodes.add(new Node(
                "c",
                "aten.cat.default",
                List.of(new Node.NamedArgument("tensors", new Argument.Values(List.of("a", "b")))),
                List.of("c"),
                List.copyOf(stack),
                String.join("", frames)));
        line(2, "return y.sum()").op("s", "aten.sum.default", "c");
        dies("s", "", "", "b a", "c");
    }

    /** Variables go in the order in which the source first assigns them, an argument after what its callee holds. */
    @Test
    void aFunctionDropsItsVariablesInTheirOrder() {
        line(1, "y = self.block(x + 1)").op("a", "aten.add.Tensor", "x").enter("block");
        line(11, "k = x.relu()").op("k", "aten.relu.default", "a");
        line(12, "h = k.exp()").op("h", "aten.exp.default", "k");
        line(13, "return k + h").op("o", "aten.add.Tensor", "h", "k").leave();
        line(2, "return y.sum()").op("s", "aten.sum.default", "o");
        dies("s", "", "", "", "k h a", "o");
    }

    @Test
    void aSecondCallOfAModuleIsAnotherCall() {
        line(1, "return self.f(self.f(x))").enter("f");
        line(11, "h = x.exp()").op("a", "aten.exp.default", "x");
        line(12, "return h + 1").op("b", "aten.add.Tensor", "a").leave().enter("f@1");
        line(11, "h = x.exp()").op("c", "aten.exp.default", "b");
        line(12, "return h + 1").op("d", "aten.add.Tensor", "c").leave();
        dies("d", "", "a", "", "c b");
    }

    @Test
    void anUnreadResultDiesAtOnceUnlessItHasAName() {
        line(1, "out, hidden = self.rnn(x)").op("out hidden", "aten.gru.input", "x");
        line(2, "self.check(out)").op("unread", "aten.isnan.default", "out");
        line(3, "return out.sum()").op("s", "aten.sum.default", "out");
        dies("s", "", "unread", "out hidden");
    }

    /** Without lines nothing is known of names; absent results are nothing. */
    @Test
    void aProgramWithoutLinesDropsAtTheLastUse() {
        op("a -", "aten.exp.default", "x").op("b", "aten.exp.default", "a").op("c", "aten.add.Tensor", "b", "a");
        dies("c", "", "", "b a");
        check(Lifetimes.ofUses(graph("c")), "", "", "b a");
    }

    @Test
    void whatIsNeverReadDiesWhereItIsMade() {
        op("a b", "aten.split.Tensor", "x").op("c", "aten.exp.default", "x");
        check(Lifetimes.ofUses(graph("c")), "a b", "");
        dies("c", "b a", "");
    }

    /** transformers, models/mixtral/modeling_mixtral.py, MixtralSparseMoeBlock: the router's logits have a name. */
    @Test
    void routersNameWhatNothingReads() {
        assertTrue(LibraryVariables.routes("_, top_k_weights, top_k_index = self.gate(hidden_states)"));
        assertFalse(LibraryVariables.routes("router_logits = self.gate(hidden_states)"));
        assertFalse(LibraryVariables.routes("_, hidden = self.rnn(hidden_states)"));
    }
}
