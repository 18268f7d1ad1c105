package dev.headroom.model.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SymExprParserTest {
    private static final Map<String, Long> SYMBOLS = Map.of("s0", 7L, "s1", 5L);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Integer(512) | 512",
                "Integer(-3) | -3",
                "Symbol('s0', positive=True, integer=True) | 7",
                "Mul(Integer(512), Symbol('s0', positive=True, integer=True)) | 3584",
                "Add(Symbol('s0'), Mul(Integer(-1), Symbol('s1'))) | 2",
                "Pow(Symbol('s0', integer=True), Integer(2)) | 49",
                "Mul(Rational(1, 2), Add(Symbol('s0'), Integer(-1))) | 3",
                "floor(Mul(Rational(1, 2), Symbol('s0'))) | 3",
                "ceiling(Mul(Rational(1, 2), Symbol('s0'))) | 4",
                "FloorDiv(Symbol('s0'), Integer(2)) | 3",
                "torch.utils._sympy.functions.FloorDiv(Symbol('s0'), Integer(2)) | 3",
                "FloorDiv(Mul(Integer(-1), Symbol('s0')), Integer(2)) | -4",
                "CeilDiv(Symbol('s0'), Integer(2)) | 4",
                "CleanDiv(Mul(Integer(4), Symbol('s0')), Integer(2)) | 14",
                "Mod(Symbol('s0'), Integer(4)) | 3",
                "PythonMod(Mul(Integer(-1), Symbol('s0')), Integer(4)) | 1",
                "ModularIndexing(Symbol('s0'), Integer(2), Integer(2)) | 1",
                "Max(Integer(1), Symbol('s0')) | 7",
                "Min(Integer(768), Mul(Integer(768), Symbol('s0'))) | 768",
                "TruncToInt(IntTrueDiv(Symbol('s0'), Integer(2))) | 3",
                "TruncToInt(Mul(Float('2.5', precision=53), ToFloat(Symbol('s0')))) | 17",
                "RoundToInt(Float('2.5', precision=53)) | 2",
                "CeilToInt(Float('2.1', precision=53)) | 3",
                "PowByNatural(Symbol('s0'), Integer(3)) | 343",
                "LShift(Symbol('s0'), Integer(2)) | 28",
                "RShift(Symbol('s0'), Integer(1)) | 3",
                "Where(StrictLessThan(Symbol('s0'), Symbol('s1')), Integer(1), Integer(2)) | 2",
                "Identity(Symbol('s0')) | 7",
                "2*s0 + s1//2 | 16",
                "s0**2 - 1 | 48",
                "-(s0 - 9) | 2",
                "(s0 - 1)/2 | 3",
                "s0 % 4 | 3",
                "Max(1, s0 - 6) | 1",
                "Min(s0, int_oo) | 7",
                "9223372036854775807 | 9223372036854775807",
                "-9223372036854775808 | -9223372036854775808",
            })
    void values(String text, long expected) {
        assertEquals(expected, SymExprParser.parse(text).evaluate(SYMBOLS));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "(",
                "Add(",
                "Add(1",
                "Add(1,)x",
                "s0 +",
                "Symbol()",
                "Symbol('s0'",
                "Float('x')",
                "1 2",
                "&",
                "'s0'",
                "FloorDiv(1)",
                "Max()",
                "s0 s1"
            })
    void malformed(String text) {
        assertThrows(UserInputException.class, () -> SymExprParser.parse(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Mul(Integer(9223372036854775807), Symbol('s0')) | does not fit 64 bits",
                "Add(Integer(9223372036854775807), Symbol('s0')) | does not fit 64 bits",
                "9223372036854775808 | does not fit 64 bits",
                "Pow(Integer(2), Integer(64)) | does not fit 64 bits",
                "Pow(Integer(3), Integer(2000000000)) | does not fit 64 bits",
                "Mul(Rational(1, 2), Symbol('s0')) | no whole number",
                "FloorDiv(Symbol('s0'), Integer(0)) | division by zero",
                "Mod(Symbol('s0'), Integer(0)) | division by zero",
                "int_oo | no whole number",
                "Mystery(Symbol('s0')) | function Mystery is not known",
                "Symbol('u3') | symbol u3",
            })
    void valuesThatDoNotExist(String text, String expected) {
        SymExpr parsed = SymExprParser.parse(text);
        String message = assertThrows(UserInputException.class, () -> parsed.evaluate(SYMBOLS))
                .getMessage();
        assertTrue(message.contains(expected), message);
    }

    @Test
    void longChainsAreRefusedNotOverflowed() {
        assertThrows(UserInputException.class, () -> SymExprParser.parse("s0" + "*s0".repeat(5000)));
        assertThrows(UserInputException.class, () -> SymExprParser.parse("-".repeat(5000) + "1"));
        assertEquals(5001, SymExprParser.parse("1" + "+1".repeat(5000)).evaluate(Map.of()));
    }

    /** An expression in both notations with its value. */
    record Sample(String srepr, String infix, long value) {}

    @Provide
    Arbitrary<Sample> samples() {
        Arbitrary<Sample> leaves = Arbitraries.oneOf(
                Arbitraries.longs().between(-9, 9).map(n -> new Sample("Integer(" + n + ")", "(" + n + ")", n)),
                Arbitraries.of("s0", "s1")
                        .map(s -> new Sample("Symbol('" + s + "', positive=True, integer=True)", s, SYMBOLS.get(s))));
        return Arbitraries.recursive(
                () -> leaves,
                inner -> Combinators.combine(Arbitraries.of("Add", "Mul", "FloorDiv", "PythonMod", "Max"), inner, inner)
                        .as(SymExprParserTest::combine),
                0,
                5);
    }

    private static Sample combine(String function, Sample a, Sample b) {
        boolean divides = function.equals("FloorDiv") || function.equals("PythonMod");
        if (divides && b.value == 0) {
            return a;
        }
        String infix =
                switch (function) {
                    case "Add" -> "(" + a.infix + " + " + b.infix + ")";
                    case "Mul" -> a.infix + "*" + b.infix;
                    case "FloorDiv" -> "(" + a.infix + ")//(" + b.infix + ")";
                    case "PythonMod" -> "(" + a.infix + ") % (" + b.infix + ")";
                    default -> "Max(" + a.infix + ", " + b.infix + ")";
                };
        long value =
                switch (function) {
                    case "Add" -> a.value + b.value;
                    case "Mul" -> a.value * b.value;
                    case "FloorDiv" -> Math.floorDiv(a.value, b.value);
                    case "PythonMod" -> Math.floorMod(a.value, b.value);
                    default -> Math.max(a.value, b.value);
                };
        return new Sample(function + "(" + a.srepr + ", " + b.srepr + ")", "(" + infix + ")", value);
    }

    @Property(tries = 500)
    void bothNotationsGiveTheValue(@ForAll("samples") Sample sample) {
        if (Math.abs(sample.value) < 1L << 40) {
            assertEquals(sample.value, SymExprParser.parse(sample.srepr).evaluate(SYMBOLS), sample.srepr);
            assertEquals(sample.value, SymExprParser.parse(sample.infix).evaluate(SYMBOLS), sample.infix);
        }
    }

    @Property(tries = 200)
    void garbageIsAnExpressionOrAGraphException(@ForAll String text) {
        try {
            SymExprParser.parse(text).evaluate(SYMBOLS);
        } catch (UserInputException expected) {
            assertTrue(expected.getMessage() != null);
        }
    }

    @Property
    void productsAreExactOrRefused(@ForAll long a, @ForAll @LongRange(min = 1) long b) {
        SymExpr product = SymExprParser.parse("a*b");
        java.math.BigInteger exact = java.math.BigInteger.valueOf(a).multiply(java.math.BigInteger.valueOf(b));
        if (exact.bitLength() < 64) {
            assertEquals(exact.longValue(), product.evaluate(Map.of("a", a, "b", b)));
        } else {
            assertThrows(UserInputException.class, () -> product.evaluate(Map.of("a", a, "b", b)));
        }
    }
}
