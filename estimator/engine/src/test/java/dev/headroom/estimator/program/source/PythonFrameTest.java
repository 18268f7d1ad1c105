package dev.headroom.estimator.program.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonFrameTest {
    @Test
    void framesComeOutermostFirst() {
        String trace = "File \"a/b.py\", line 12, in forward\n    x = self.act(\n  File \"c.py\", line 3, in forward\n"
                + "    return F.relu(input)";
        assertEquals(
                List.of(
                        new PythonFrame("a/b.py", 12, "x = self.act("),
                        new PythonFrame("c.py", 3, "return F.relu(input)")),
                PythonFrame.parse(trace));
    }

    @Test
    void damagedTracesGiveNoFrames() {
        assertEquals(List.of(), PythonFrame.parse(""));
        assertEquals(List.of(), PythonFrame.parse("File \"a.py\", line x, in forward\n  y"));
        assertEquals(List.of(), PythonFrame.parse("File \"a.py"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "out = self.conv(x) | out",
                "a, b = self.attn( | a;b",
                "(a, b) = f(x) | a;b",
                "y: Tensor = g(x) | y",
                "out += identity | out",
                "if a == b: | ''",
                "return x | ''",
                "self.cache = x | ''",
                "h[0] = x | ''"
            })
    void assignedNames(String line, String names) {
        List<String> expected = names.isEmpty() ? List.of() : List.of(names.split(";"));
        assertEquals(expected, new PythonFrame("f.py", 1, line).assigned());
    }

    @Test
    void aLineNamesTheListThatItAddsTo() {
        assertEquals("outs", new PythonFrame("m.py", 1, "outs.append(conv(x))").list());
        assertEquals("out", new PythonFrame("m.py", 1, "out[\"aux\"] = self.aux(x)").list());
        assertNull(new PythonFrame("m.py", 1, "cost[:, i] = left").list());
        assertNull(new PythonFrame("m.py", 1, "out[\"aux\"] == x").list());
        assertNull(new PythonFrame("m.py", 1, "x = outs.pop()").list());
    }

    @Test
    void namesOfInnerListsAreAssignedToo() {
        assertEquals(List.of("y", "h", "c"), new PythonFrame("m.py", 1, "y, (h, c) = self.rnn(x)").assigned());
    }

    @Test
    void aLineMayBeNothingButCalls() {
        assertTrue(new PythonFrame("m.py", 1, "q, k = rope(q, cos), rope(k, cos)").calls());
        assertTrue(new PythonFrame("m.py", 1, "return rope(q, self.norm(k))").calls());
        assertFalse(new PythonFrame("m.py", 1, "q = rope(q, cos) + rope(k, cos)").calls());
    }

    @Test
    void aLineMayBeOneCallOfWhatModulesMake() {
        PythonFrame line = new PythonFrame("m.py", 1, "y = self.attend(self.norm(x), self.proj)");
        assertTrue(line.isOneCall(Set.of("norm", "proj")));
        assertFalse(line.isOneCall(Set.of("proj")), "norm may be a function as well");
        assertFalse(line.isOneCall(Set.of("norm", "attend")), "attend is a module");
        assertTrue(new PythonFrame("m.py", 1, "y = mix(x, state)").isOneCall(Set.of()));
        assertFalse(new PythonFrame("m.py", 1, "y = x + mix(x, state)").isOneCall(Set.of()));
    }

    @Test
    void aLineMayHandOnWhatTheNameThatItAssignsHeld() {
        assertTrue(new PythonFrame("m.py", 1, "h, c = self.cell(x, [h, c])").passes("h"));
        assertTrue(new PythonFrame("m.py", 1, "h = f(state=h)").passes("h"));
        assertFalse(new PythonFrame("m.py", 1, "h = torch.zeros_like(h)").passes("h"));
        assertFalse(new PythonFrame("m.py", 1, "h = x.view(h.shape)").passes("h"));
        assertFalse(new PythonFrame("m.py", 1, "y = f(h)").passes("y"));
    }

    @Test
    void framesAreEqualInAllTheirParts() {
        PythonFrame frame = new PythonFrame("m.py", 1, "y = f(x)", List.of("y"), 0);
        assertEquals(frame, new PythonFrame("m.py", 1, "y = f(x)"));
        for (PythonFrame other : List.of(
                new PythonFrame("n.py", 1, "y = f(x)"),
                new PythonFrame("m.py", 2, "y = f(x)"),
                new PythonFrame("m.py", 1, "y = g(x)", List.of("y"), 0),
                new PythonFrame("m.py", 1, "y = f(x)", List.of("z"), 0),
                new PythonFrame("m.py", 1, "y = f(x)", List.of("y"), 1))) {
            assertNotEquals(frame, other);
            assertEquals(other.line() == 1 && other.statement() == 0, frame.sameStatement(other), other.toString());
        }
        assertEquals(new PythonFrame.Place(1, 0), frame.place());
    }

    @Test
    void namesAreGivenValuesOneByOne() {
        assertEquals(List.of("f(a, [b, c])", "g(d)"), new PythonFrame("m.py", 1, "x, y = f(a, [b, c]), g(d)").values());
        assertEquals(List.of("f(a)"), new PythonFrame("m.py", 1, "x = f(a)").values());
        assertEquals(List.of(), new PythonFrame("m.py", 1, "x, y = pair(a)").values());
        assertEquals(List.of(), new PythonFrame("m.py", 1, "x = f(a,").values(), "goes on behind the line");
        assertEquals(List.of(), new PythonFrame("m.py", 1, "return x").values());
    }

    @Test
    void aCallEndsWhereItsFirstParenthesisCloses() {
        assertTrue(new PythonFrame("m.py", 1, "x = f(").calls());
        assertTrue(new PythonFrame("m.py", 1, "x = self.a.f([1, 2], {})").calls());
        assertFalse(new PythonFrame("m.py", 1, "x = f(a)(b)").calls());
        assertFalse(new PythonFrame("m.py", 1, "x = (a)").calls());
        assertFalse(new PythonFrame("m.py", 1, "x = -f(a)").calls());
        assertFalse(new PythonFrame("m.py", 1, "print(x)").calls(), "it assigns and returns nothing");
        assertTrue(new PythonFrame("m.py", 1, "return x").returns());
        assertFalse(new PythonFrame("m.py", 1, "returned = x").returns());
    }

    @Test
    void aLineMayTakeOneItem() {
        assertTrue(new PythonFrame("m.py", 1, "x = self.rnn(x)[0]").takesPart());
        assertTrue(new PythonFrame("m.py", 1, "x = self.rnn(x)[-1].relu()").takesPart());
        assertFalse(new PythonFrame("m.py", 1, "x = self.rnn(x)[:, 0]").takesPart());
        assertFalse(new PythonFrame("m.py", 1, "x = y[0]").takesPart());
    }
}
