package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A layer that normalises what comes out of attention and of its feed-forward part, and maybe what goes in. */
public final class SandwichLayer extends Layer {
    /**
     * Its norms.
     *
     * @param beforeAttention {@code null} for none, as {@code beforeFeedForward}
     */
    public record Norms(
            @Nullable Layer beforeAttention,
            Layer afterAttention,
            @Nullable Layer beforeFeedForward,
            Layer afterFeedForward) {
        private Map<String, Layer> named() {
            Map<String, Layer> out = new LinkedHashMap<>();
            if (beforeAttention != null) {
                out.put("input_layernorm", beforeAttention);
            }
            out.put("post_attention_layernorm", afterAttention);
            if (beforeFeedForward != null) {
                out.put("pre_feedforward_layernorm", beforeFeedForward);
            }
            out.put("post_feedforward_layernorm", afterFeedForward);
            return out;
        }
    }

    private final String type;
    private final Layer attention;
    private final Layer feedForward;
    private final Norms norms;

    /** @param type class name */
    public SandwichLayer(String type, Layer attention, Layer feedForward, Norms norms) {
        this(type, attention, feedForward, norms, norms.named());
    }

    /** A layer whose norms have the names of GLM 4. */
    public static SandwichLayer glm(
            String type, Layer attention, Layer feedForward, Layer before, Layer between, Layer after, Layer last) {
        Map<String, Layer> names = new LinkedHashMap<>();
        names.put("input_layernorm", before);
        names.put("post_attention_layernorm", between);
        names.put("post_self_attn_layernorm", after);
        names.put("post_mlp_layernorm", last);
        return new SandwichLayer(type, attention, feedForward, new Norms(before, after, between, last), names);
    }

    private SandwichLayer(String type, Layer attention, Layer feedForward, Norms norms, Map<String, Layer> names) {
        this.type = type;
        this.attention = child("self_attn", attention);
        this.feedForward = child("mlp", feedForward);
        this.norms = norms;
        names.forEach(this::child);
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        List<Value> weights = new ArrayList<>();
        Value residual = half(s, in[0], norms.beforeAttention, attention, norms.afterAttention, weights);
        Value x = half(s, residual, norms.beforeFeedForward, feedForward, norms.afterFeedForward, weights);
        weights.forEach(s::hold);
        return x;
    }

    /** @param besides takes what the part returns besides its result */
    private static Value half(
            Scope s, Value residual, @Nullable Layer before, Layer part, Layer after, List<Value> besides) {
        Value x = residual;
        if (before != null) {
            s.line("x = self.norm_before(x)");
            x = s.call(before, x);
        }
        s.line(ReturnsMore.call(part));
        Value[] results = s.results(part, x);
        besides.addAll(Arrays.asList(results).subList(1, results.length));
        x = results[0];
        s.line("x = self.norm_after(x)");
        x = s.call(after, x);
        s.line("x = residual + x");
        return s.op("aten.add.Tensor", "self", residual, "other", x);
    }
}
