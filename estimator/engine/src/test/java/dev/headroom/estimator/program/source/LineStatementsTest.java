package dev.headroom.estimator.program.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class LineStatementsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a = f(x); b = a + 1 | a = f(x) / b = a + 1",
                "a = f(';', [x[1:2]]); # b; c | a = f(';', [x[1:2]])",
                "if self.shift: x = f(x); y = x | x = f(x) / y = x",
                "for i in range(3): x = f(x) | x = f(x)",
                "if f(x): y = g(x) | if f(x): y = g(x)",
                "else: x = f(x) | x = f(x)",
                "if x[lambda: 1]: y = g(x) | if x[lambda: 1]: y = g(x)",
                "x = f(x, | x = f(x,",
            })
    void semicolonsSeparateStatements(String line, String statements) {
        assertEquals(statements, String.join(" / ", LineStatements.split(line)));
    }

    /** Of each step the statement; {@code ?} where two are equally likely. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "q = q.view(1); k = k.view(1) | view view | 0 1",
                "s = torch.matmul(q, k.transpose(2, 3)) / d; s = s + m | transpose matmul div add | 0 0 0 1",
                "b = x.size(0); x = gf(x); x = self.c1(x) | topk index cat c1 | 1 1 1 2",
                "m = torch.zeros(4); m[:, :2] = 1 | zeros slice slice fill | 0 1 1 1",
                "x += y; x = -x ** 2 | add pow neg | 0 1 1",
                "h = self.cell(x); y = h * h | cell mul cell mul | 0 1 2 3",
                "a = f(x); b = g(a) | exp log | ?",
                "z = 1 / (x.sum() + 1e-6); w = z * y | sum add reciprocal mul mul | 0 0 0 0 1",
            })
    void stepsBelongToWhatSpellsThem(String line, String steps, String expected) {
        int[] places = LineStatements.assign(LineStatements.split(line), List.of(steps.split(" ")));
        assertEquals(expected, places == null ? "?" : Arrays.toString(places).replaceAll("[\\[\\],]", ""));
    }
}
