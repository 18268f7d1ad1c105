package dev.headroom.executor.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What lines say of names whose assignment they do not show, and of functions that have no lines. */
class UnseenNamesTest {
    private static ProgramWriter model() {
        return new ProgramWriter().enter("");
    }

    @Test
    void aSecondNameLetsGoWhenItIsGivenTheNextValue() {
        ProgramWriter w = model();
        String before = "x";
        for (int k = 0; k < 2; k++) {
            w.line(1, "x = self.norm(x)").op("a" + k, "aten.layer_norm.default", before);
            w.line(3, "x = self.mlp(x)").op("b" + k, "aten.linear.default", "a" + k); // line 2: residual = x
            w.line(4, "x = residual + x").op("c" + k, "aten.add.Tensor", "a" + k, "b" + k);
            before = "c" + k;
        }
        ValueLifetimes l =
                w.line(5, "return x.sum()").op("s", "aten.sum.default", "c1").lifetimes("s");
        assertEquals(List.of("b0"), l.diesAfter(2), "residual still holds a0");
        assertEquals(List.of("a0", "c0"), l.diesAfter(3), "a1 takes both names");
        assertEquals(List.of("a1", "c1"), l.diesAfter(6), "nothing takes residual from a1");
    }

    @Test
    void whatIsPoppedFromAListIsGone() {
        ValueLifetimes l = model().line(1, "skips = [self.first(x)]")
                .op("a", "aten.relu.default", "x")
                .line(2, "h = self.down(skips[-1])")
                .op("b", "aten.exp.default", "a")
                .line(3, "h = torch.cat([h, skips.pop()], 1)")
                .op("c", "aten.cat.default", "b", "a")
                .line(4, "return h.sum()")
                .op("s", "aten.sum.default", "c")
                .lifetimes("s");
        assertEquals(List.of(), l.diesAfter(1));
        assertEquals(List.of("a", "b"), l.diesAfter(2).stream().sorted().toList());
    }

    @Test
    void exchangedNamesHoldNothingLonger() {
        ProgramWriter w = model();
        String before = "x";
        for (int k = 0; k < 2; k++) {
            w.line(1, "a, b = x.chunk(2, -1)").op("p" + k + " q" + k, "aten.chunk.default", before);
            w.line(3, "b = b * self.s(a)").op("m" + k, "aten.mul.Tensor", "p" + k, "q" + k); // line 2: a, b = b, a
            w.line(4, "x = torch.cat((a, b), -1)").op("c" + k, "aten.cat.default", "q" + k, "m" + k);
            before = "c" + k;
        }
        ValueLifetimes l =
                w.line(5, "return x.sum()").op("s", "aten.sum.default", "c1").lifetimes("s");
        assertEquals(List.of("q0"), l.diesAfter(2), "it was called a, which the next turn assigns");
    }

    @Test
    void aNameOnTheLineBeforeIsToldByItsReader() {
        ValueLifetimes l = model().line(2, "self.proj(x).exp()") // line 1: y = (
                .op("a", "aten.exp.default", "x")
                .line(3, ".neg()")
                .op("b", "aten.neg.default", "a")
                .line(5, "z = y * 2")
                .op("c", "aten.mul.Tensor", "b")
                .line(6, "y = z + 1")
                .op("d", "aten.add.Tensor", "c")
                .line(7, "return y.sum()")
                .op("s", "aten.sum.default", "d")
                .lifetimes("s");
        assertEquals(List.of("a"), l.diesAfter(1), "lines of one statement");
        assertEquals(List.of(), l.diesAfter(2), "y holds it");
        assertEquals(List.of("b"), l.diesAfter(3), "until y is assigned again");
    }

    @Test
    void aFunctionHoldsWhatItReadsTwiceUntilItReturns() {
        ValueLifetimes l = model().line(1, "y = self.loss_of(z1, z2)")
                .op("n", "aten.div.Tensor", "x")
                .op("t", "aten.t.default", "n")
                .op("m", "aten.mm.default", "n", "t")
                .op("e", "aten.exp.default", "m")
                .op("r", "aten.sum.default", "e")
                .line(2, "return y + 1")
                .op("s", "aten.add.Tensor", "r")
                .lifetimes("s");
        assertEquals(List.of("t"), l.diesAfter(2), "a temporary, which is read once");
        assertEquals(List.of("m"), l.diesAfter(3));
        assertEquals(List.of("e", "n"), l.diesAfter(4).stream().sorted().toList(), "n has a name in there");
    }

    @Test
    void aNumberDividedByAValueHoldsIt() {
        ValueLifetimes l = model().line(1, "return 1.0 / (x + 1)")
                .op("a", "aten.add.Tensor", "x")
                .op("b", "aten.reciprocal.default", "a")
                .op("c", "aten.mul.Tensor", "b")
                .lifetimes("c");
        assertEquals(List.of(), l.diesAfter(1), "Tensor.__rtruediv__ has it as an argument");
        assertEquals(List.of("a", "b"), l.diesAfter(2).stream().sorted().toList());
    }

    @Test
    void aSliceOfAContainerIsACall() {
        ValueLifetimes l = model().line(1, "h = x * 2")
                .op("a", "aten.mul.Tensor", "x")
                .line(2, "h = rest(h)") // rest = self.layers[1:]
                .sliced(259, "input = module(input)")
                .enter("layers.1")
                .line(11, "return F.silu(input)")
                .op("b", "aten.silu.default", "a")
                .leave()
                .enter("layers.2")
                .line(11, "return F.relu(input)")
                .op("c", "aten.relu.default", "b")
                .leave()
                .endSlice()
                .line(3, "return h.sum()")
                .op("s", "aten.sum.default", "c")
                .lifetimes("s");
        assertEquals(List.of(), l.diesAfter(1), "the container's caller holds its argument");
        assertEquals(List.of("a", "b"), l.diesAfter(2).stream().sorted().toList());
    }

    @Test
    void theModulesOfOneItemAreCalledInOneStatement() {
        ProgramWriter w = model();
        String before = "x";
        for (int block = 0; block < 2; block++) {
            for (int k = 0; k < 2; k++) {
                w.line(1, "y = self.run(self.blocks[i], x)");
                w.enter("blocks." + block + "." + k).line(11, "return F.relu(x)");
                w.op("r" + block + k, "aten.relu.default", before).leave();
                before = "r" + block + k;
            }
        }
        ValueLifetimes l =
                w.line(2, "return y.sum()").op("s", "aten.sum.default", before).lifetimes("s");
        assertEquals(List.of("r00"), l.diesAfter(1), "a temporary of the function");
        assertEquals(List.of(), l.diesAfter(2), "y has the first block's result while the second runs");
        assertEquals(List.of("r10", "r01"), l.diesAfter(3));
    }
}
