package dev.headroom.estimator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConversionTest {
    private static String text(List<Conversion> all) {
        return all.stream().map(c -> (c.kind() + " " + c.of()).strip()).collect(Collectors.joining(";"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x = x.to(torch.float32) | LITERAL",
                "x = x.float() @ y.float() | LITERAL;LITERAL",
                "return self.weight * h.to(input_dtype) | FOLLOW input_dtype",
                "return cos.to(dtype=x.dtype), sin.to(dtype=x.dtype) | FOLLOW x;FOLLOW x",
                "h = h.to(self.weight.dtype) | FOLLOW self.weight",
                "p = p.type_as(scores) | FOLLOW scores",
                "p = p.to(scores) | FOLLOW scores",
                "f = self.f[None, :].float().expand(b, -1).to(x.device) | LITERAL;SELF",
                "f = self.f.expand(x.shape[0], -1).to(dtype=torch.float, device=x.device) | LITERAL",
                "x = self.total(y) | ''",
            })
    void methodsSayWhatDecidesTheType(String line, String expected) {
        assertEquals(expected, text(Conversion.methods(line)));
    }

    @Test
    void argumentsAreApartFromMethods() {
        assertEquals(
                "LITERAL", text(Conversion.arguments("w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)")));
        assertEquals("FOLLOW q", text(Conversion.methods("w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)")));
        assertEquals("FOLLOW x", text(Conversion.arguments("m = torch.zeros((2, 3), dtype=x.dtype, device=x.device)")));
    }

    @Test
    void nothingIsSaidByALineThatEndsInside() {
        assertNull(Conversion.methods("x = x.to("));
        assertEquals("LITERAL;FOLLOW", text(Conversion.methods("return norm(x.to(torch.float32), 1e-5).to(")));
        assertNull(Conversion.arguments("x = torch.zeros(2, dtype=x.dtype"));
    }
}
