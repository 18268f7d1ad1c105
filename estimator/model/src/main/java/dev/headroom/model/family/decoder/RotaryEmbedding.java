package dev.headroom.model.family.decoder;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.List;

/** Cosines and sines of the positions, in float32 whatever autocast says, given in the type of the hidden states. */
public final class RotaryEmbedding extends SeveralResults {
    private final String type;
    private final Request request;
    private final boolean ofKinds;
    private final boolean wide;
    private final Rows rows;

    /** How a row of frequencies becomes one of angles. */
    private enum Rows {
        /** Twice, one after the other. */
        TWICE,
        /** Each element twice. */
        INTERLEAVED,
        /** As it is. */
        ONCE
    }

    /**
     * One for all layers.
     *
     * @param type class name
     * @param size of the part of a head that is turned
     */
    public RotaryEmbedding(String type, Request request, long size) {
        this(type, request, size, List.of(), false);
    }

    /** One for all layers, whose halves of heads are turned by the same row. */
    public static RotaryEmbedding halves(String type, Request request, long size) {
        return new RotaryEmbedding(type, request, size, List.of(), false, Rows.ONCE);
    }

    /** One for all layers, whose neighbouring elements are turned together. */
    public static RotaryEmbedding interleaved(String type, Request request, long size) {
        return new RotaryEmbedding(type, request, size, List.of(), false, Rows.INTERLEAVED);
    }

    /**
     * @param kinds of layers that have a rotation each; empty for one of all
     * @param wide whether the results stay in float32
     */
    public RotaryEmbedding(String type, Request request, long size, List<String> kinds, boolean wide) {
        this(type, request, size, kinds, wide, Rows.TWICE);
    }

    private RotaryEmbedding(String type, Request request, long size, List<String> kinds, boolean wide, Rows rows) {
        this.rows = rows;
        this.type = type;
        this.request = request;
        this.ofKinds = !kinds.isEmpty();
        this.wide = wide;
        for (String kind : kinds.isEmpty() ? List.of("") : kinds) {
            scratch(prefix(kind) + "inv_freq", DType.FLOAT32, size / 2);
            scratch(prefix(kind) + "original_inv_freq", DType.FLOAT32, size / 2);
        }
    }

    private static String prefix(String kind) {
        return kind.isEmpty() ? "" : kind + "_";
    }

    @Override
    protected String type() {
        return type;
    }

    /** @param in hidden states, position ids, the kind of layers */
    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("inv_freq = self.inv_freq[None, :, None].expand(position_ids.shape[0], -1, 1).to(torch.float)");
        Value row = s.op(
                "aten.unsqueeze.default",
                "self",
                s.parameter(prefix(ofKinds ? in[2].name() : "") + "inv_freq"),
                "dim",
                0);
        Value column = s.op("aten.unsqueeze.default", "self", row, "dim", 2);
        SymExpr[] sizes = {request.options().packing() ? Request.BATCH : SymExpr.of(1), SymExpr.of(-1), SymExpr.of(1)};
        Value expanded = s.op("aten.expand.default", "self", column, "size", sizes);
        Value frequencies = s.op("aten.to.dtype", "self", expanded, "dtype", DType.FLOAT32);
        s.line("positions = position_ids[:, None, :].float()");
        Value numbers = s.op("aten.unsqueeze.default", "self", in[1], "dim", 1);
        Value positions = s.op("aten.to.dtype", "self", numbers, "dtype", DType.FLOAT32);
        s.line("frequencies = (inv_freq @ positions).transpose(1, 2)");
        Value angles = s.outOfAutocast("aten.matmul.default", "self", frequencies, "other", positions);
        Value turned = s.op("aten.transpose.int", "self", angles, "dim0", 1, "dim1", 2);
        s.line("angles = torch.cat((frequencies, frequencies), dim=-1)");
        Value both =
                switch (rows) {
                    case ONCE -> turned;
                    case TWICE -> s.op("aten.cat.default", "tensors", new Value[] {turned, turned}, "dim", -1);
                    case INTERLEAVED ->
                        s.op("aten.repeat_interleave.self_int", "self", turned, "repeats", 2, "dim", -1);
                };
        s.line("cos = angles.cos() * self.attention_scaling");
        Value cos = scaled(s, "aten.cos.default", both);
        s.line("sin = angles.sin() * self.attention_scaling");
        Value sin = scaled(s, "aten.sin.default", both);
        if (wide) {
            return new Value[] {cos, sin};
        }
        s.line("return cos.to(dtype=x.dtype), sin.to(dtype=x.dtype)");
        Argument like = new Argument.TypeOf(in[0].name());
        return new Value[] {
            s.op("aten.to.dtype", "self", cos, "dtype", like), s.op("aten.to.dtype", "self", sin, "dtype", like)
        };
    }

    private static Value scaled(Scope s, String function, Value angles) {
        return s.op("aten.mul.Tensor", arguments("self", s.op(function, "self", angles), "other", 1.0));
    }
}
