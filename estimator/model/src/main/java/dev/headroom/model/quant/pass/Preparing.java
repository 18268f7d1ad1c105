package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.rewrite.InputGradients;
import dev.headroom.model.scenario.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What {@code prepare_model_for_kbit_training} does (peft/utils/other.py): it freezes all parameters, casts those in
 * half precision that are not quantised to float32, and makes the embeddings' output require a gradient where
 * re-entrant checkpoints follow.
 */
public final class Preparing {
    /** Parts of modules' names that trl's older trainers cast back (trl 0.13, peft_module_casting_to_bf16). */
    private static final List<String> LOWERED = List.of("lm_head", "embed_tokens", "wte", "wpe");

    private Preparing() {}

    /** Whether a run prepares its model. */
    public static boolean casts(Scenario run) {
        return run.quant().any() && !run.quant().noKbitPrepare() && !run.loop().inference();
    }

    /** The run with what preparing changes about it: checkpoints are re-entrant where nothing else is said. */
    public static Scenario applied(Scenario run) {
        boolean switches =
                casts(run) && run.checkpointing().any() && run.checkpointing().reentrant() == null;
        return switches ? run.withCheckpointing(run.checkpointing().withReentrant(true)) : run;
    }

    /** The graph of a prepared model. */
    public static Graph rewrite(Graph graph, Scenario run) {
        if (!casts(run)) {
            return graph;
        }
        DType asked = run.precision().dtype();
        DType loaded = asked == QuantisedLinears.ownType(graph) ? null : asked;
        Map<String, HeldTensor> tensors = new LinkedHashMap<>();
        graph.held().tensors().forEach((name, held) -> {
            boolean weight = held.kind() == Graph.InputKind.PARAMETER
                    && held.meta().dtype().isFloatingPoint();
            DType type = held.type(loaded);
            boolean returned = run.trainer().lowersEmbeddings(run.precision().amp())
                    && LOWERED.stream().anyMatch(name::contains);
            tensors.put(
                    name,
                    weight && !returned
                            ? held.convertedFrom(type, type.isReducedFloat() ? DType.FLOAT32 : type)
                            : held);
        });
        Graph prepared = graph.withHeld(graph.held().withTensors(tensors));
        boolean reentrant =
                run.checkpointing().any() && !Objects.equals(run.checkpointing().reentrant(), false);
        return reentrant ? InputGradients.require(prepared) : prepared;
    }
}
