package dev.headroom.executor.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What Python's rules say of small programs. */
class ValueLifetimesTest {
    private static ProgramWriter model() {
        return new ProgramWriter().enter("");
    }

    @Test
    void aTemporaryDiesWithItsConsumer() {
        ValueLifetimes l = model().line(1, "return (x + 1).relu().sum()")
                .op("a", "aten.add.Tensor", "x")
                .op("b", "aten.relu.default", "a")
                .op("c", "aten.sum.default", "b")
                .lifetimes("c");
        assertEquals(List.of(), l.diesAfter(0));
        assertEquals(List.of("a"), l.diesAfter(1));
        assertEquals(List.of("b"), l.diesAfter(2), "the output is kept, and so is the input");
    }

    @Test
    void aVariableLivesUntilItIsAssignedAgain() {
        ValueLifetimes l = model().line(1, "h = x + 1")
                .op("a", "aten.add.Tensor", "x")
                .line(2, "y = h * 2")
                .op("b", "aten.mul.Tensor", "a")
                .line(3, "h = y.relu().exp()")
                .op("c", "aten.relu.default", "b")
                .op("d", "aten.exp.default", "c")
                .line(4, "return h.sum()")
                .op("e", "aten.sum.default", "d")
                .lifetimes("e");
        assertEquals(List.of(), l.diesAfter(1), "h still holds it");
        assertEquals(List.of(), l.diesAfter(2));
        assertEquals(List.of("c", "a"), l.diesAfter(3), "the new value is there before the old one goes");
        assertEquals(List.of("b", "d"), l.diesAfter(4), "variables go when the call returns");
    }

    @Test
    void anArgumentLivesUntilTheCallReturns() {
        ValueLifetimes l = model().line(1, "return self.block(x + 1) * 2")
                .op("a", "aten.add.Tensor", "x")
                .enter("block")
                .line(11, "x = x.relu()")
                .op("b", "aten.relu.default", "a")
                .line(12, "x = x.exp()")
                .op("c", "aten.exp.default", "b")
                .line(13, "return x.neg()")
                .op("d", "aten.neg.default", "c")
                .leave()
                .op("e", "aten.mul.Tensor", "d")
                .lifetimes("e");
        assertEquals(List.of(), l.diesAfter(1), "the callee's name is not the caller's argument");
        assertEquals(List.of("b"), l.diesAfter(2));
        assertEquals(List.of("a", "c"), l.diesAfter(3));
        assertEquals(List.of("d"), l.diesAfter(4), "what the call returned");
    }

    @Test
    void whatIsReadAfterItsNameWasAssignedAgainIsHeldToTheEnd() {
        ValueLifetimes l = model().line(1, "x = self.norm(x)")
                .op("a", "aten.layer_norm.default", "x")
                .line(3, "x = self.mlp(x)") // line 2: residual = x
                .op("b", "aten.linear.default", "a")
                .line(4, "x = residual + x")
                .op("c", "aten.add.Tensor", "a", "b")
                .line(5, "return x.sum().exp()")
                .op("d", "aten.sum.default", "c")
                .op("e", "aten.exp.default", "d")
                .lifetimes("e");
        assertEquals(List.of(), l.diesAfter(1));
        assertEquals(List.of("b"), l.diesAfter(2), "residual is not assigned again");
        assertEquals(List.of(), l.diesAfter(3));
        assertEquals(List.of("d", "a", "c"), l.diesAfter(4));
    }

    @Test
    void turnsOfALoopAreStatementsOfTheirOwn() {
        ProgramWriter w = model();
        String before = "x";
        for (int k = 0; k < 3; k++) {
            w.line(1, "x = layer(x)").enter("layers." + k).line(11, "return F.relu(x)");
            w.op("r" + k, "aten.relu.default", before).leave();
            before = "r" + k;
        }
        ValueLifetimes l = w.lifetimes("r2");
        assertEquals(List.of(), l.diesAfter(0));
        assertEquals(List.of("r0"), l.diesAfter(1));
        assertEquals(List.of("r1"), l.diesAfter(2));
    }

    @Test
    void aListHoldsWhatALoopMadeEvenItsLast() {
        ProgramWriter w = model();
        String before = "x";
        for (int k = 0; k < 4; k++) {
            w.line(1, "x = block(x)").enter("blocks." + k).line(11, "return F.relu(x)");
            w.op("r" + k, "aten.relu.default", before).leave();
            before = "r" + k;
        }
        w.line(5, "x = torch.cat(kept[:3], 1)").op("c", "aten.cat.default", "r0", "r1", "r2");
        w.line(6, "x = self.mix(x)").op("m", "aten.add.Tensor", "c", "r3");
        w.line(7, "return x.exp()").op("e", "aten.exp.default", "m");
        ValueLifetimes l = w.lifetimes("e");
        for (int i = 0; i < 5; i++) {
            assertEquals(List.of(), l.diesAfter(i), "after " + i);
        }
        assertEquals(List.of("c"), l.diesAfter(5));
        assertEquals(List.of("r0", "r1", "r2", "r3", "m"), l.diesAfter(6));
    }

    @Test
    void aListThatIsReplacedLetsGo() {
        ProgramWriter w = model();
        String before = "x";
        for (int k = 0; k < 3; k++) {
            w.line(1, "h = self.cell(h)").enter(k == 0 ? "cell" : "cell@" + k).line(11, "return h.tanh()");
            w.op("h" + k, "aten.tanh.default", before).leave();
            before = "h" + k;
        }
        w.line(3, "hs = torch.stack(hs, 1)").op("s", "aten.stack.default", "h0", "h1", "h2");
        w.line(4, "return hs.exp()").op("e", "aten.exp.default", "s");
        ValueLifetimes l = w.lifetimes("e");
        assertEquals(List.of(), l.diesAfter(2));
        assertEquals(List.of("h0", "h1"), l.diesAfter(3), "h holds the last");
        assertEquals(List.of("h2", "s"), l.diesAfter(4));
    }

    @Test
    void resultsAreUnpackedToTheirNames() {
        ValueLifetimes l = model().line(1, "q, k = self.qk(x).split(4)")
                .op("qk", "aten.linear.default", "x")
                .op("q k", "aten.split.Tensor", "qk")
                .line(2, "q = q * 2")
                .op("s", "aten.mul.Tensor", "q")
                .line(3, "return q @ k")
                .op("m", "aten.matmul.default", "s", "k")
                .lifetimes("m");
        assertEquals(List.of("qk"), l.diesAfter(1));
        assertEquals(List.of("q"), l.diesAfter(2));
        assertEquals(List.of("k", "s"), l.diesAfter(3));
    }

    @Test
    void aSecondCallOfAModuleIsAnotherCall() {
        ValueLifetimes l = model().line(1, "return self.f(self.f(x))")
                .enter("f")
                .line(11, "h = x.exp()")
                .op("a", "aten.exp.default", "x")
                .line(12, "return h + 1")
                .op("b", "aten.add.Tensor", "a")
                .leave()
                .enter("f@1")
                .line(11, "h = x.exp()")
                .op("c", "aten.exp.default", "b")
                .line(12, "return h + 1")
                .op("d", "aten.add.Tensor", "c")
                .lifetimes("d");
        assertEquals(List.of("a"), l.diesAfter(1));
        assertEquals(List.of("b", "c"), l.diesAfter(3));
    }

    /** A line of the model, then of the module that runs: F.relu(input) and input = module(input) are no segment's. */
    @Test
    void aSegmentOfACheckpointedChainHasNoLines() {
        ValueLifetimes l = model().line(1, "return self._forward_impl(x)")
                .segment(0)
                .enter("bn1")
                .line(10, "self.num_batches_tracked.add_(1)")
                .op("n", "aten.add_.Tensor", "batches")
                .line(11, "return F.batch_norm(")
                .op("a", "aten.batch_norm.default", "x")
                .leave()
                .enter("relu")
                .line(12, "return F.relu(input, inplace=self.inplace)")
                .op("b", "aten.relu_.default", "a")
                .leave()
                .sliced(259, "input = module(input)")
                .enter("layer.0")
                .line(13, "return x.exp()")
                .op("c", "aten.exp.default", "b")
                .lifetimes("c");
        assertEquals(List.of("a"), l.diesAfter(2));
        assertEquals(List.of("b"), l.diesAfter(3));
    }

    @Test
    void anUnreadResultDiesAtOnceUnlessItHasAName() {
        ValueLifetimes l = model().line(1, "out, hidden = self.rnn(x)")
                .op("out hidden", "aten.gru.input", "x")
                .line(2, "self.check(out)")
                .op("unread", "aten.isnan.default", "out")
                .line(3, "return out.sum()")
                .op("s", "aten.sum.default", "out")
                .lifetimes("s");
        assertEquals(List.of(), l.diesAfter(0));
        assertEquals(List.of("unread"), l.diesAfter(1));
        assertEquals(List.of("out", "hidden"), l.diesAfter(2));
    }

    @Test
    void aGraphWithoutTracesDropsAtTheLastUse() {
        ProgramWriter w = new ProgramWriter();
        w.op("a", "aten.exp.default", "x").op("b", "aten.exp.default", "a").op("c", "aten.add.Tensor", "a", "b");
        ValueLifetimes l = w.lifetimes("c");
        assertEquals(List.of(), l.diesAfter(1));
        assertEquals(List.of("a", "b"), l.diesAfter(2));
    }

    @Test
    void aLongDeepProgramIsReadInLinearTime() {
        ProgramWriter w = model();
        for (int d = 0; d < 20; d++) {
            w.enter("m".repeat(d + 1)).line(1, "x = self.next(x)");
        }
        String before = "x";
        for (int i = 0; i < 20_000; i++) {
            w.op("v" + i, "aten.relu.default", before);
            before = "v" + i;
        }
        long start = System.nanoTime();
        ValueLifetimes l = w.lifetimes(before);
        double seconds = (System.nanoTime() - start) / 1e9;
        assertEquals(List.of("v41"), l.diesAfter(42));
        assertTrue(seconds < 5, "took " + seconds + " s");
    }
}
