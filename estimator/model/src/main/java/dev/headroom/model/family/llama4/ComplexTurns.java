package dev.headroom.model.family.llama4;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;

/** {@code apply_rotary_emb} and {@code vision_apply_rotary_emb}: pairs of elements times complex numbers. */
final class ComplexTurns {
    private ComplexTurns() {}

    /**
     * Queries and keys, turned.
     *
     * @param both of four dimensions, tokens before heads
     * @param by one row for all heads
     * @param pairs their sizes with pairs of elements in a dimension of their own
     */
    static Value[] write(Scope s, Value[] both, Value by, SymExpr[] pairs) {
        return s.function("apply_rotary_emb", () -> {
            s.line("xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))");
            Value q = complex(s, both[0], pairs);
            s.line("xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))");
            Value k = complex(s, both[1], pairs);
            s.line("xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)");
            Value queries = real(s, q, by);
            s.line("xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)");
            Value keys = real(s, k, by);
            s.line("return xq_out.type_as(xq), xk_out.type_as(xk)");
            Value[] made = {
                s.op("aten.to.dtype", "self", queries, "dtype", new Argument.TypeOf(both[0].name())),
                s.op("aten.to.dtype", "self", keys, "dtype", new Argument.TypeOf(both[1].name()))
            };
            s.use(q, k, queries, keys);
            return made;
        });
    }

    private static Value complex(Scope s, Value x, SymExpr[] pairs) {
        Value wide = s.op("aten.to.dtype", "self", x, "dtype", DType.FLOAT32);
        Value paired = s.op("aten.reshape.default", "self", wide, "shape", pairs);
        return s.op("aten.view_as_complex.default", "self", paired);
    }

    private static Value real(Scope s, Value x, Value by) {
        Value product = s.op("aten.mul.Tensor", "self", x, "other", by);
        Value pairs = s.op("aten.view_as_real.default", "self", product);
        return s.op("aten.flatten.using_ints", "self", pairs, "start_dim", 3);
    }
}
