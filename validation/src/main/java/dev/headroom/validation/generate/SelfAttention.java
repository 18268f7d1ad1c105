package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.LinkedHashMap;
import java.util.Map;

/** Self-attention as language and vision models write it; see {@link RandomLayer.Attention}. */
final class SelfAttention extends Layer {
    private static final String[] ROLES = {"q", "k", "v"};

    private final RandomLayer.Attention options;
    private final long head;
    private final Layer[] in;
    private final Layer out;

    SelfAttention(RandomLayer.Attention options) {
        this.options = options;
        head = options.width() / options.heads();
        long width = options.width();
        if (options.packed()) {
            in = new Layer[] {child("qkv", Layers.linear(width, 3 * width))};
        } else {
            in = new Layer[ROLES.length];
            for (int i = 0; i < in.length; i++) {
                in[i] = child(ROLES[i], Layers.linear(width, width));
            }
        }
        out = child("out", Layers.linear(width, width));
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        Value[] qkv = options.packed() ? packed(scope, inputs[0]) : apart(scope, inputs[0]);
        Value mixed = options.fused() ? fused(scope, qkv) : written(scope, qkv);
        scope.line("return self.out(out.transpose(1, 2).reshape(-1, self.length, self.width))");
        Value rows = scope.op(
                "aten.reshape.default",
                Scope.arguments("self", Reshaping.transpose(scope, mixed, 1, 2), "shape", new long[] {
                    -1, options.length(), options.width()
                }));
        return scope.call(out, rows);
    }

    private Value view(Scope scope, Value x, long... sizes) {
        return scope.op("aten.view.default", Scope.arguments("self", x, "size", sizes));
    }

    private Value[] packed(Scope scope, Value x) {
        scope.line("q, k, v = self.qkv(x).view(-1, self.length, 3, self.heads, self.head)"
                + ".permute(2, 0, 3, 1, 4).unbind(0)");
        Value all = view(scope, scope.call(in[0], x), -1, options.length(), 3, options.heads(), head);
        Value turned =
                scope.op("aten.permute.default", Scope.arguments("self", all, "dims", new long[] {2, 0, 3, 1, 4}));
        return scope.ops("aten.unbind.int", 3, Scope.arguments("self", turned, "dim", 0));
    }

    private Value[] apart(Scope scope, Value x) {
        Value[] made = new Value[in.length];
        for (int i = 0; i < made.length; i++) {
            scope.line(ROLES[i] + " = self." + ROLES[i]
                    + "(x).view(-1, self.length, self.heads, self.head).transpose(1, 2)");
            Value heads = view(scope, scope.call(in[i], x), -1, options.length(), options.heads(), head);
            made[i] = Reshaping.transpose(scope, heads, 1, 2);
        }
        return made;
    }

    private Value fused(Scope scope, Value[] qkv) {
        scope.line("out = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p, is_causal=self.causal)");
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put("query", qkv[0]);
        arguments.put("key", qkv[1]);
        arguments.put("value", qkv[2]);
        arguments.put("dropout_p", options.dropout());
        arguments.put("is_causal", options.causal());
        return scope.op("aten.scaled_dot_product_attention.default", arguments);
    }

    private Value written(Scope scope, Value[] qkv) {
        scope.line("scores = torch.matmul(q, k.transpose(-2, -1))");
        Value keys = Reshaping.transpose(scope, qkv[1], -2, -1);
        Value scores = scope.op("aten.matmul.default", Scope.arguments("self", qkv[0], "other", keys));
        scope.line("scores = scores * self.scale");
        scores = scope.op("aten.mul.Tensor", Scope.arguments("self", scores, "other", 1 / Math.sqrt((double) head)));
        scope.line("weights = torch.softmax(scores, -1)");
        Value weights = scope.op("aten.softmax.int", Scope.arguments("self", scores, "dim", -1));
        scope.line("weights = F.dropout(weights, self.p)");
        weights = scope.op(
                "aten.dropout.default", Scope.arguments("input", weights, "p", options.dropout(), "train", true));
        scope.line("out = torch.matmul(weights, v)");
        return scope.op("aten.matmul.default", Scope.arguments("self", weights, "other", qkv[2]));
    }
}
