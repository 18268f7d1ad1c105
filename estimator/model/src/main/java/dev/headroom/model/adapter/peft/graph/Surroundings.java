package dev.headroom.model.adapter.peft.graph;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import org.jspecify.annotations.Nullable;

/**
 * What of a run decides what layers compute.
 *
 * @param archive the floating-point type that the graph names for the model's own
 * @param model the type that the run gives to all that is floating point; {@code null}: as in the graph
 * @param autocast autocast's type, or {@code null} where it is off
 * @param training whether the model trains
 * @param lowers whether adapters become bfloat16 once they are made, but for magnitudes: what trl's SFTTrainer does
 *     with those of quantised models (trl 1.16, trainer/sft_trainer.py)
 * @param makes whether trl's SFTTrainer makes the adapters from its {@code peft_config}, always in float32
 * @param gathered the type in which fully sharded parameters are gathered, and so the one that layers see; {@code null}
 *     for their own
 * @param engine the type that DeepSpeed's engine converts the whole model to, with its adapters, once it is given the
 *     model; {@code null} for none
 */
public record Surroundings(
        DType archive,
        @Nullable DType model,
        @Nullable DType autocast,
        boolean training,
        boolean lowers,
        boolean makes,
        @Nullable DType gathered,
        @Nullable DType engine) {
    /** Of a run of a graph. */
    public static Surroundings of(Graph graph, @Nullable DType model, @Nullable DType autocast, boolean training) {
        DType archive = graph.held().tensors().values().stream()
                .filter(h -> h.kind() == Graph.InputKind.PARAMETER)
                .map(h -> h.meta().dtype())
                .filter(DType::isFloatingPoint)
                .findFirst()
                .orElse(DType.FLOAT32);
        return new Surroundings(archive, model, autocast, training, false, false, null, null);
    }

    /** The same where adapters are lowered. */
    public Surroundings lowering(boolean all) {
        return new Surroundings(archive, model, autocast, training, all, makes, gathered, engine);
    }

    /** The same where SFTTrainer makes the adapters. */
    public Surroundings making(boolean all) {
        return new Surroundings(archive, model, autocast, training, lowers, all, gathered, engine);
    }

    /** The same under an engine that converts the model. */
    public Surroundings under(@Nullable DType type) {
        return new Surroundings(archive, model, autocast, training, lowers, makes, gathered, type);
    }

    /** The same where parameters are gathered in a type. */
    public Surroundings gathering(@Nullable DType type) {
        return new Surroundings(archive, model, autocast, training, lowers, makes, type, engine);
    }

    /** The type that layers see of an adapter that was made in a type: what they cast their input to. */
    public DType usedType(DType made, AdapterOptions options) {
        return gathered != null ? gathered : adapterType(made, options);
    }

    /** The type of an adapter that was made in a type. */
    public DType adapterType(DType made, AdapterOptions options) {
        if (engine != null) {
            return engine;
        }
        return lowers ? DType.BFLOAT16 : wideType(made, options);
    }

    /** The type that peft gives to it. */
    public DType wideType(DType made, AdapterOptions options) {
        boolean wide = makes || options.type() == AdapterOptions.Type.FP32;
        return made.isReducedFloat() && wide ? DType.FLOAT32 : made;
    }
}
