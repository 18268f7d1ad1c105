package dev.headroom.model.adapter;

import dev.headroom.model.record.Withers;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which of a model's parameters are trained, and the adapters that peft adds to it.
 *
 * @param lora rank of LoRA; {@code null} for none
 * @param alpha numerator of its scaling
 * @param rankStabilized its scaling is alpha over the root of the rank, not over the rank
 * @param dropout probability of dropping an adapter's inputs
 * @param targets names of modules, the ends of their paths, one pattern, or {@code all-linear}; empty for what peft
 *     takes by itself
 * @param targetParameters names of parameters, such as stacks of experts, or ends of their paths
 * @param modulesToSave ends of paths of modules that are trained whole, as copies beside the frozen ones
 * @param method in the place of LoRA; {@code null} for none
 * @param size its rank, the size of its blocks, or how many tokens it trains; {@code null} for peft's own
 * @param projected whether a small network makes prefix tuning's keys and values
 * @param dora weights are decomposed into magnitude and direction (DoRA)
 * @param type the type of the adapters
 * @param freeze texts: parameters whose names hold one of them are frozen
 * @param train texts: parameters whose names hold one of them are trained, and no others but adapters
 */
@Withers
public record AdapterOptions(
        @Nullable Integer lora,
        Integer alpha,
        boolean rankStabilized,
        @Nullable Double dropout,
        List<String> targets,
        List<String> targetParameters,
        List<String> modulesToSave,
        @Nullable AdapterMethod method,
        @Nullable Integer size,
        boolean projected,
        boolean dora,
        Type type,
        List<String> freeze,
        List<String> train)
        implements AdapterOptionsWithers.With {
    /** Neither adapters nor frozen parameters. */
    public static final AdapterOptions NONE = new AdapterOptions(
            null, 16, false, null, List.of(), List.of(), List.of(), null, null, false, false, Type.FP32, List.of(),
            List.of());

    public AdapterOptions {
        targets = List.copyOf(targets);
        targetParameters = List.copyOf(targetParameters);
        modulesToSave = List.copyOf(modulesToSave);
        freeze = List.copyOf(freeze);
        train = List.copyOf(train);
    }

    /** The type of adapters ({@code autocast_adapter_dtype}). */
    public enum Type {
        /** float32, whatever the model's. */
        FP32,
        /** The type of the layers that they belong to. */
        MODEL
    }

    /** Whether the model gets adapters. */
    public boolean any() {
        return lora != null || method != null;
    }

    /** Whether the adapters are those of IA3. */
    public boolean ia3() {
        return method == AdapterMethod.IA3;
    }

    /** Options with IA3's adapters, or without any in LoRA's place. */
    public AdapterOptions withIa3(boolean on) {
        return withMethod(on ? AdapterMethod.IA3 : null);
    }

    /** The rank, the size of blocks, or the number of tokens, of a method in LoRA's place. */
    public int methodSize() {
        return size != null ? size : Objects.requireNonNull(method, "a method").usualSize();
    }

    /** Tokens that are trained before those of each text. */
    public long virtualTokens() {
        return method != null && method.isPrompt() ? methodSize() : 0;
    }

    /** Tokens whose keys and values are trained, before those of each text. */
    public long prefixTokens() {
        return method == AdapterMethod.PREFIX_TUNING ? methodSize() : 0;
    }

    /** Whether layers are adapted, not what the model is given. */
    public boolean adaptsLayers() {
        return any() && virtualTokens() == 0 && prefixTokens() == 0;
    }

    /** Whether inputs of adapters may be dropped. */
    public boolean takesDropout() {
        return lora != null || method != null && method.drops();
    }

    /** The rank of adapters, for a run that has some. */
    public int rank() {
        return Objects.requireNonNull(lora, "a rank");
    }

    /** What an adapter's output is multiplied by. */
    public double scaling() {
        double rank = lora == null ? 1 : lora;
        return alpha / (rankStabilized ? Math.sqrt(rank) : rank);
    }

    /** Whether inputs are dropped. */
    public boolean drops() {
        return dropout != null;
    }
}
