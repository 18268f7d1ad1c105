package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import org.jspecify.annotations.Nullable;

/** A layer whose attention and feed-forward part have the same input, normalised once. */
public final class ParallelLayer extends Layer {
    /** What is dropped, and in which order the parts are added. */
    public enum Order {
        /** {@code residual + attention + mlp}, nothing dropped. */
        COHERE(""),
        /** {@code residual + attention + dropout(mlp)}. */
        STABLE_LM("dropout"),
        /** {@code dropout(attention) + dropout(mlp) + residual}. */
        PHI("resid_dropout");

        private final String dropout;

        Order(String dropout) {
            this.dropout = dropout;
        }
    }

    private final String type;
    private final Order order;
    private final Layer attention;
    private final Layer feedForward;
    private final Layer norm;
    private final @Nullable Layer dropout;

    /**
     * @param type class name
     * @param p of the dropout, where there is one
     */
    public ParallelLayer(String type, Order order, Layer attention, Layer feedForward, Layer norm, double p) {
        this.type = type;
        this.order = order;
        this.attention = child("self_attn", attention);
        this.feedForward = child("mlp", feedForward);
        this.norm = child("input_layernorm", norm);
        dropout = order.dropout.isEmpty() ? null : child(order.dropout, Layers.dropout(p));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.input_layernorm(x)");
        Value x = s.call(norm, in[0]);
        s.line(ReturnsMore.call(attention, "attended"));
        Value[] attended = s.results(attention, x);
        Value one = attended[0];
        if (order == Order.PHI && dropout != null) {
            s.line("attended = self.resid_dropout(attended)");
            one = s.call(dropout, one);
            s.line("fed = self.resid_dropout(self.mlp(x))");
        } else {
            s.line("fed = self.mlp(x)");
        }
        Value two = s.call(feedForward, x);
        if (dropout != null) {
            s.line(order == Order.PHI ? "fed = self.resid_dropout(self.mlp(x))" : "fed = self.dropout(fed)");
            two = s.call(dropout, two);
        }
        s.line("x = residual + attended + fed");
        Value sum = order == Order.PHI
                ? s.op("aten.add.Tensor", "self", one, "other", two)
                : s.op("aten.add.Tensor", "self", in[0], "other", one);
        Value out = s.op("aten.add.Tensor", "self", sum, "other", order == Order.PHI ? in[0] : two);
        for (int i = 1; i < attended.length; i++) {
            s.hold(attended[i]);
        }
        return out;
    }
}
