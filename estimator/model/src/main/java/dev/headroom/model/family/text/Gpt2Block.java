package dev.headroom.model.family.text;

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

/** {@code GPT2Block}. */
final class Gpt2Block {
    private static final String CLASS = Gpt2.CLASS;

    private Gpt2Block() {}

    static Layer of(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
        return new GptBlock(
                CLASS + "Block",
                "attn_output = self.attn(x)[0]",
                shape.width(),
                new Attention(shape, request, pass, c.number("resid_pdrop", 0.1)),
                feedForward(c, shape.width()));
    }

    /** {@code GPT2MLP}. */
    private static Layer feedForward(ModelConfig c, long width) {
        long inner = c.size("n_inner", 4 * width);
        return new NamedSequence(CLASS + "MLP", "c_fc", "act", "c_proj", "dropout")
                .with("c_fc", new Conv1D(width, inner))
                .with("c_proj", new Conv1D(inner, width))
                .with("act", Activations.of(c, "activation_function", "gelu_new"))
                .with("dropout", Layers.dropout(c.number("resid_pdrop", 0.1)));
    }

    /** {@code Conv1D}: a linear layer whose weight lies the other way. */
    private static final class Conv1D extends Layer {
        private final long in;
        private final long out;

        private Conv1D(long in, long out) {
            this.in = in;
            parameter("weight", in, out);
            parameter("bias", out);
            this.out = out;
        }

        @Override
        protected String type() {
            return "transformers.pytorch_utils.Conv1D";
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            s.line("x = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight)");
            Value rows = s.op("aten.view.default", "self", x[0], "size", new long[] {-1, in});
            Value made = s.op(
                    "aten.addmm.default", "self", s.parameter("bias"), "mat1", rows, "mat2", s.parameter("weight"));
            s.line("x = x.view(size_out)");
            SymExpr[] sizes = {Request.BATCH, SymExpr.of(-1), SymExpr.of(out)};
            return s.op("aten.view.default", "self", made, "size", sizes);
        }
    }

    /** {@code GPT2Attention}. */
    private static final class Attention extends SelfAttention {
        private final long width;
        private final Layer all;
        private final Layer out;
        private final Layer dropout;

        private Attention(AttentionShape shape, Request request, Pass pass, double residual) {
            super(shape, request, pass, Turn.NONE);
            width = shape.width();
            all = child("c_attn", new Conv1D(width, 3 * width));
            out = child("c_proj", new Conv1D(width, width));
            child("attn_dropout", Layers.dropout(shape.dropout()));
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
            s.line("queries, keys, values = self.c_attn(x).split(self.split_size, dim=2)");
            Value[] three = s.ops(
                    "aten.split.Tensor", 3, Scope.arguments("self", s.call(all, x), "split_size", width, "dim", 2));
            s.line("keys = keys.view(shape_kv).transpose(1, 2)");
            Value keys = heads(s, three[1]);
            s.line("values = values.view(shape_kv).transpose(1, 2)");
            Value values = heads(s, three[2]);
            s.line("queries = queries.view(shape_q).transpose(1, 2)");
            return new Value[] {heads(s, three[0]), keys, values};
        }
    }
}
