package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
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
}
