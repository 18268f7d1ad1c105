package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.generation.GivenCache;
import dev.headroom.model.graph.SymExpr;
import java.util.Set;

/**
 * Keys and values that a model is given for tokens before those of the texts, a pair a layer, as inputs of its graph.
 * Their sizes are those that peft reads off a config (utils/other.py, _prepare_prompt_learning_config).
 */
public final class GivenKeys {
    /** Families whose outputs hold the cache only with {@code use_cache} (transformers 5.17, their modeling files). */
    private static final Set<String> LETS_GO = Set.of(
            "mistral",
            "qwen2",
            "qwen3",
            "smollm3",
            "gemma",
            "phi3",
            "starcoder2",
            "ministral",
            "exaone4",
            "qwen2_moe",
            "gpt2");

    private GivenKeys() {}

    /** What peft takes for a layer's heads of keys, and the size of each. */
    private static long[] heads(ModelConfig c) {
        long width = c.size(c.has("hidden_size") ? "hidden_size" : "n_embd");
        long heads = c.size(c.has("num_attention_heads") ? "num_attention_heads" : "n_head");
        boolean shares = c.has("num_key_value_heads");
        long size = shares && c.has("head_dim") ? c.size("head_dim") : width / heads;
        return new long[] {shares ? c.size("num_key_value_heads") : heads, size};
    }

    /** Adds them to a model's inputs. */
    public static void input(Model model, Request request) {
        ModelConfig c = request.config();
        if (!c.has("num_attention_heads") && !c.has("n_head")) {
            throw refused(c);
        }
        if (request.scenario().checkpointing().any()) {
            throw new UserInputException("`adapter=prefix-tuning`: peft refuses it with gradient checkpointing, which"
                    + " hands on no keys and values; leave `checkpoint` out");
        }
        long[] heads = heads(c);
        SymExpr[] sizes = {Request.BATCH, SymExpr.of(heads[0]), SymExpr.of(request.prefix()), SymExpr.of(heads[1])};
        long layers = c.size(c.has("num_hidden_layers") ? "num_hidden_layers" : "n_layer");
        for (int i = 0; i < layers; i++) {
            model.input(GivenCache.keys(i), request.type(), sizes);
            model.input(GivenCache.values(i), request.type(), sizes);
        }
    }

    /** Says what they go with. */
    public static UserInputException refused(ModelConfig c) {
        return new UserInputException(c.source() + ": `adapter=prefix-tuning` goes with decoders that are trained on"
                + " texts, without `task` and `packing`, whose layers see all that came before; take another here");
    }

    /** A layer's keys and values with those that were given before them, which most models' outputs hold. */
    static Value[] joined(Scope s, Request request, AttentionShape shape, Pass pass, Value keys, Value values) {
        long[] heads = heads(request.config());
        if (shape.window() != Masks.NO_WINDOW || shape.keys() != heads[0] || shape.size() != heads[1]) {
            throw refused(request.config());
        }
        int layer = pass.nextLayer();
        s.line("keys, values = past_key_values.update(keys, values, self.layer_idx)");
        Value[] pair = {new Value(GivenCache.keys(layer)), keys};
        Value allKeys = s.op("aten.cat.default", "tensors", pair, "dim", -2);
        Value[] others = {new Value(GivenCache.values(layer)), values};
        Value allValues = s.op("aten.cat.default", "tensors", others, "dim", -2);
        if (request.caches() || !LETS_GO.contains(request.config().modelType())) {
            pass.cache(allKeys);
            pass.cache(allValues);
        }
        return new Value[] {allKeys, allValues};
    }
}
