package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import org.jspecify.annotations.Nullable;

/** A layer that normalises what goes into attention and into its feed-forward part. */
public final class DecoderLayer extends Layer {
    private final String type;
    private final Layer attention;
    private final Layer feedForward;
    private final Layer before;
    private final Layer between;
    private final @Nullable Layer attentionDropout;
    private final @Nullable Layer feedForwardDropout;
    private final @Nullable Double multiplier;

    /** @param type class name */
    public DecoderLayer(String type, Layer attention, Layer feedForward, Layer before, Layer between) {
        this(type, attention, feedForward, before, between, null, null, null);
    }

    /** A layer that multiplies both results before it adds them. */
    public static DecoderLayer scaled(
            String type, Layer attention, Layer feedForward, Layer before, Layer between, double multiplier) {
        return new DecoderLayer(type, attention, feedForward, before, between, null, multiplier, null);
    }

    /** The same with experts in the place of the feed-forward part, which are registered last, under a name. */
    public static DecoderLayer scaledExperts(
            String type, Layer attention, Layer experts, Layer before, Layer between, double multiplier, String name) {
        return new DecoderLayer(type, attention, experts, before, between, null, multiplier, name);
    }

    /** @param dropout of both results, before they are added; {@code null} for a layer without such modules */
    public DecoderLayer(
            String type, Layer attention, Layer feedForward, Layer before, Layer between, @Nullable Double dropout) {
        this(type, attention, feedForward, before, between, dropout, null, null);
    }

    private DecoderLayer(
            String type,
            Layer attention,
            Layer feedForward,
            Layer before,
            Layer between,
            @Nullable Double dropout,
            @Nullable Double multiplier,
            @Nullable String expertsName) {
        this.multiplier = multiplier;
        this.type = type;
        this.feedForward = feedForward;
        this.attention = child("self_attn", attention);
        if (expertsName == null) {
            child("mlp", feedForward);
        }
        this.before = child("input_layernorm", before);
        this.between = child("post_attention_layernorm", between);
        if (expertsName != null) {
            child(expertsName, feedForward);
        }
        attentionDropout = dropout == null ? null : child("resid_attn_dropout", Layers.dropout(dropout));
        feedForwardDropout = dropout == null ? null : child("resid_mlp_dropout", Layers.dropout(dropout));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.input_layernorm(x)");
        Value x = s.call(before, in[0]);
        s.line(ReturnsMore.call(attention));
        Value[] attended = s.results(attention, x);
        x = attended[0];
        Value residual = added(s, in[0], x, attentionDropout);
        s.line("x = self.post_attention_layernorm(x)");
        x = s.call(between, residual);
        s.line(ReturnsMore.call(feedForward));
        Value[] fed = s.results(feedForward, x);
        if (fed.length > 1) { // _ is bound again
            holdMore(s, attended);
        }
        x = fed[0];
        x = added(s, residual, x, feedForwardDropout);
        holdMore(s, fed.length > 1 ? fed : attended);
        return x;
    }

    /** What {@code _} still names. */
    private static void holdMore(Scope s, Value[] results) {
        for (int i = 1; i < results.length; i++) {
            s.hold(results[i]);
        }
    }

    private Value added(Scope s, Value residual, Value x, @Nullable Layer dropout) {
        s.line("x = residual + dropout(x)");
        Value kept = dropout == null ? x : s.call(dropout, x);
        kept = multiplier == null ? kept : s.op("aten.mul.Tensor", "self", kept, "other", multiplier);
        return s.op("aten.add.Tensor", "self", residual, "other", kept);
    }
}
