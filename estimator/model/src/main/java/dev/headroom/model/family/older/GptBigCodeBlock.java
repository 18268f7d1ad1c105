package dev.headroom.model.family.older;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.GptBlock;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.graph.SymExpr;

/** {@code GPTBigCodeBlock}. */
final class GptBigCodeBlock {
    private static final String CLASS = GptBigCode.CLASS;

    private GptBigCodeBlock() {}

    static Layer of(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
        long width = shape.width();
        long inner = c.size("n_inner", 4 * width);
        double dropped = c.number("resid_pdrop", 0.1);
        return new GptBlock(
                CLASS + "Block",
                "attn_output, _ = self.attn(x)",
                width,
                new Attention(shape, request, pass, dropped),
                new NamedSequence(CLASS + "MLP", "c_fc", "act", "c_proj", "dropout")
                        .with("c_fc", Layers.linear(width, inner))
                        .with("c_proj", Layers.linear(inner, width))
                        .with("act", Activations.of(c, "activation_function", "gelu_pytorch_tanh"))
                        .with("dropout", Layers.dropout(dropped)));
    }

    /** {@code GPTBigCodeAttention}: one projection; all heads share a key and a value, or each has its own. */
    private static final class Attention extends SelfAttention {
        private final AttentionShape shape;
        private final Request request;
        private final Layer all;
        private final Layer out;
        private final Layer dropout;

        private Attention(AttentionShape shape, Request request, Pass pass, double residual) {
            super(shape, request, pass, Turn.NONE);
            this.shape = shape;
            this.request = request;
            all = child("c_attn", Layers.linear(shape.width(), shape.width() + 2 * shape.keys() * shape.size()));
            out = child("c_proj", Layers.linear(shape.width(), shape.width()));
            dropout = child("resid_dropout", Layers.dropout(residual));
        }

        @Override
        protected Layer out() {
            return out;
        }

        @Override
        protected Layer outModule() {
            return dropout;
        }

        @Override
        protected Value[] project(Scope s, Value x) {
            return shape.keys() == 1 ? shared(s, x) : apart(s, x);
        }

        private Value[] shared(Scope s, Value x) {
            s.line("query, key, value = self.c_attn(x).unsqueeze(1).split((width, kv_width, kv_width), dim=3)");
            Value one = s.op("aten.unsqueeze.default", "self", s.call(all, x), "dim", 1);
            long[] widths = {shape.width(), shape.size(), shape.size()};
            Value[] three = split(s, one, widths);
            s.line("query = query.view(shape).transpose(1, 2)");
            return new Value[] {heads(s, three[0]), three[1], three[2]};
        }

        private Value[] apart(Scope s, Value x) {
            s.line("query, key, value = self.c_attn(x).view(shape).transpose(1, 2).split(3 * [size], dim=3)");
            SymExpr[] sizes = {Request.BATCH, request.length(), SymExpr.of(shape.heads()), SymExpr.of(3 * shape.size())
            };
            Value rows = s.op("aten.view.default", "self", s.call(all, x), "size", sizes);
            Value turned = s.op("aten.transpose.int", "self", rows, "dim0", 1, "dim1", 2);
            return split(s, turned, new long[] {shape.size(), shape.size(), shape.size()});
        }

        private static Value[] split(Scope s, Value x, long[] widths) {
            return s.ops("aten.split_with_sizes.default", 3, arguments("self", x, "split_sizes", widths, "dim", 3));
        }
    }
}
