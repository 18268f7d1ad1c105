package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.LatentSelfAttention;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The projections of DeepSeek's attention: keys and values from one narrow row a token. */
final class LatentAttention extends LatentSelfAttention {
    private final @Nullable Layer whole;
    private final @Nullable Layer down;
    private final @Nullable Layer downNorm;
    private final @Nullable Layer up;
    private final Layer keysDown;
    private final Layer keysNorm;
    private final Layer keysUp;
    private final Layer out;

    /** @param norm of a width, with the class's own epsilon */
    LatentAttention(
            ModelConfig c, AttentionShape shape, Sizes sizes, Request request, Pass pass, LongFunction<Layer> norm) {
        super(shape, sizes, request, pass, c.flag("rope_interleave", true));
        long queries = shape.heads() * shape.size();
        boolean narrow = c.has("q_lora_rank") || !c.names("q_lora_rank");
        long rank = c.size("q_lora_rank", 1536);
        whole = narrow ? null : child("q_proj", Layers.linear(shape.width(), queries, false));
        down = narrow ? child("q_a_proj", Layers.linear(shape.width(), rank, shape.bias())) : null;
        downNorm = narrow ? child("q_a_layernorm", norm.apply(rank)) : null;
        up = narrow ? child("q_b_proj", Layers.linear(rank, queries, false)) : null;
        keysDown =
                child("kv_a_proj_with_mqa", Layers.linear(shape.width(), sizes.rank() + sizes.turned(), shape.bias()));
        keysNorm = child("kv_a_layernorm", norm.apply(sizes.rank()));
        keysUp =
                child("kv_b_proj", Layers.linear(sizes.rank(), shape.heads() * (sizes.plain() + sizes.value()), false));
        out = child("o_proj", Layers.linear(shape.heads() * sizes.value(), shape.width(), shape.outBias()));
    }

    @Override
    protected Value queries(Scope s, Value x) {
        if (whole != null) {
            s.line("q_states = self.q_proj(x)");
            return s.call(whole, x);
        }
        s.line("q_states = self.q_b_proj(self.q_a_layernorm(self.q_a_proj(x)))");
        return down == null || downNorm == null || up == null ? x : s.call(up, s.call(downNorm, s.call(down, x)));
    }

    @Override
    protected Layer keysDown() {
        return keysDown;
    }

    @Override
    protected Layer keysNorm() {
        return keysNorm;
    }

    @Override
    protected Layer keysUp() {
        return keysUp;
    }

    @Override
    protected Layer out() {
        return out;
    }
}
