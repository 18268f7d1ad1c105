package dev.headroom.executor.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class SourceLineTest {
    private static List<String> names(String text) {
        return SourceLine.of(1, text).names();
    }

    @Test
    void assignments() {
        assertEquals(List.of("x"), names("x = self.conv(x)"));
        assertEquals(List.of("out"), names("out += identity"));
        assertEquals(List.of("a", "b", "_"), names("a, b, _ = self.f("));
        assertEquals(List.of("q", "rest"), names("(q, *rest) = parts"));
        assertEquals(List.of("outputs"), names("outputs: dict[str, int] = self.model("));
        assertEquals(List.of("x_i"), names("for x_i in x.split(1, 1):"));
    }

    @Test
    void otherLines() {
        for (String text : new String[] {
            "return self.fc(x)",
            "hidden_states=hidden_states,",
            "self.act(self.fc(x)),",
            "x == y",
            "if (y := f(x)) is None:",
            "x.data.masked_fill_(mask, 0)",
            "self.kept = x",
            "+ self.b(x)",
            ""
        }) {
            assertEquals(List.of(), names(text), text);
        }
    }

    @Test
    void framesOutermostFirst() {
        List<SourceLine> frames = SourceLine.frames("  File \"a.py\", line 12, in forward\n    x = self.f(x)\n"
                + "  File \"b.py\", line 7, in forward\n    return x");
        assertEquals(List.of(12, 7), frames.stream().map(SourceLine::number).toList());
        assertEquals(List.of("x"), frames.get(0).names());
        assertEquals("return x", frames.get(1).text());
        assertFalse(SourceLine.frames("no frames").iterator().hasNext());
        assertEquals(
                "",
                SourceLine.frames("File \"a.py\", line 99999999999999, in f\nFile \"b.py\", line 2, in g")
                        .get(0)
                        .text());
    }

    @Test
    void aMethodThatIsCalledTwiceMayCallAModuleTwice() {
        SourceLine both = SourceLine.of(1, "p, n = self.score(u, pos), self.score(u, neg)");
        assertEquals(2, both.timesCalled("u"));
        SourceLine spelled = SourceLine.of(1, "x = self.norm(self.conv(self.norm(x)))");
        assertEquals(2, spelled.timesCalled("block.norm"));
        assertEquals(1, spelled.timesCalled("block.conv"));
        assertEquals(1, SourceLine.of(1, "x = layer(x)").timesCalled("layers.0"));
    }

    @Test
    void listsAreFilledAndJoined() {
        assertEquals(
                "feats",
                SourceLine.of(1, "feats.append(layer(torch.cat(feats, 1)))").filled());
        assertEquals("feats", SourceLine.of(1, "x = trans(torch.cat(feats, 1))").joined());
        assertEquals("", SourceLine.of(1, "x = torch.cat([a, b], 1)").joined());
        assertEquals("", SourceLine.of(1, "self.seen.append(x)").filled());
    }

    @Test
    void operandsAndArgumentsOnLinesOfTheirOwnEndNoAssignment() {
        for (String operand : new String[] {"+ self.block(x)", "- b", "@ w", "** 2", "and x", "// n"}) {
            assertFalse(SourceLine.of(1, operand).mayEndAssignment(), operand);
        }
        for (String value : new String[] {"-self.f(x)", "*xs", "android(x)", "self.f(x)"}) {
            assertTrue(SourceLine.of(1, value).mayEndAssignment(), value);
        }
        SourceLine open = SourceLine.of(4, "q, k = map(lambda t: t.relu(),");
        assertTrue(SourceLine.of(5, "(self.q(x), self.k(x)))").follows(open));
        assertFalse(SourceLine.of(6, "self.f(x)").follows(open));
        assertFalse(SourceLine.of(5, "y = self.f(x)").follows(SourceLine.of(4, "x = f(x)")));
    }
}
