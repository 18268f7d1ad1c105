package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.Arrays;

/**
 * {@code Qwen2VLRotaryEmbedding}: angles of a token's positions in time, height and width, of which each gives some of
 * the frequencies.
 */
final class ThreefoldRotary extends SeveralResults {
    private static final int AXES = 3;

    private final String type;
    private final long[] sections;
    private final boolean interleaved;

    /**
     * @param type class name
     * @param size of a head
     * @param sections frequencies of each axis, one axis after the other
     * @param interleaved whether axes take turns, which are written over those of time
     */
    ThreefoldRotary(String type, long size, long[] sections, boolean interleaved) {
        this.type = type;
        this.interleaved = interleaved;
        this.sections = sections.clone();
        scratch("inv_freq", DType.FLOAT32, size / 2);
        scratch("original_inv_freq", DType.FLOAT32, size / 2);
    }

    /** @throws UserInputException where they are not half of a head together */
    static long[] checked(ModelConfig c, long[] sections, long size) {
        if (Arrays.stream(sections).sum() != size / 2) {
            throw new UserInputException(c.source() + ": \"mrope_section\" " + Arrays.toString(sections)
                    + " does not add up to half of a head of " + size);
        }
        return sections;
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("inv_freq_expanded = self.inv_freq[None, None, :, None].float().expand(3, batch, -1, 1)");
        Value row = s.op("aten.unsqueeze.default", "self", s.parameter("inv_freq"), "dim", 0);
        row = s.op("aten.unsqueeze.default", "self", row, "dim", 0);
        Value column = s.op("aten.unsqueeze.default", "self", row, "dim", 3);
        SymExpr[] sizes = {SymExpr.of(AXES), Request.BATCH, SymExpr.of(-1), SymExpr.of(1)};
        Value expanded = s.op("aten.expand.default", "self", column, "size", sizes);
        s.line("position_ids_expanded = position_ids[:, :, None, :].float()");
        Value numbers = s.op("aten.unsqueeze.default", "self", in[1], "dim", 2);
        Value positions = s.op("aten.to.dtype", "self", numbers, "dtype", DType.FLOAT32);
        s.line("freqs = (inv_freq_expanded.float() @ position_ids_expanded.float()).transpose(2, 3)");
        Value angles = s.outOfAutocast("aten.matmul.default", "self", expanded, "other", positions);
        Value turned = s.op("aten.transpose.int", "self", angles, "dim0", 2, "dim1", 3);
        s.line("cos = freqs.cos() * self.attention_scaling");
        Value cos = s.op("aten.mul.Tensor", "self", s.op("aten.cos.default", "self", turned), "other", 1.0);
        s.line("sin = freqs.sin() * self.attention_scaling");
        Value sin = s.op("aten.mul.Tensor", "self", s.op("aten.sin.default", "self", turned), "other", 1.0);
        s.line("sin = self.recomposition_frequencies(sin)");
        Value allSin = recomposed(s, sin);
        s.line("cos = self.recomposition_frequencies(cos)");
        Value allCos = recomposed(s, cos);
        s.line("return cos.to(dtype=x.dtype), sin.to(dtype=x.dtype)");
        Argument like = new Argument.TypeOf(in[0].name());
        return new Value[] {
            s.op("aten.to.dtype", "self", allCos, "dtype", like), s.op("aten.to.dtype", "self", allSin, "dtype", like)
        };
    }

    private Value recomposed(Scope s, Value of) {
        return s.function("recomposition_frequencies", () -> {
            if (interleaved) {
                s.line("freqs_thw = freq[0]");
                Value time = s.op("aten.select.int", "self", of, "dim", 0, "index", 0);
                s.line("return torch.cat((freqs_thw, freqs_thw), dim=-1)");
                return s.op("aten.cat.default", "tensors", new Value[] {time, time}, "dim", -1);
            }
            s.line("freq = torch.cat([m[i % 3] for i, m in enumerate(freq.split(sections, dim=-1))], dim=-1)");
            Value[] parts = s.ops(
                    "aten.split_with_sizes.default",
                    sections.length,
                    Scope.arguments("self", of, "split_sizes", sections, "dim", -1));
            Value[] picked = new Value[parts.length];
            for (int i = 0; i < parts.length; i++) {
                picked[i] = s.op("aten.select.int", "self", parts[i], "dim", 0, "index", i % AXES);
            }
            Value freq = s.op("aten.cat.default", "tensors", picked, "dim", -1);
            s.line("return torch.cat((freq, freq), dim=-1)");
            return s.op("aten.cat.default", "tensors", new Value[] {freq, freq}, "dim", -1);
        });
    }
}
