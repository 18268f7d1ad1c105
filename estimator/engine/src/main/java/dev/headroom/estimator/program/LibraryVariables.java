package dev.headroom.estimator.program;

import java.util.Map;
import java.util.Set;

/**
 * Local variables of library functions that leave no frame of their own in an archive: they hold their values until the
 * function returns. Keys are what the calling line says, values the operators whose results such variables hold.
 */
final class LibraryVariables {
    /** The variable of a router that its caller holds, see {@link #routes}. */
    static final String ROUTED = "router_logits";

    /**
     * Results of an operator.
     *
     * @param of the operator that made what it works on, or "" for any
     * @param reader the operator that reads it last, or "" for any
     */
    private record Held(String operator, String of, String reader) {
        Held(String operator) {
            this(operator, "", "");
        }

        Held(String operator, String of) {
            this(operator, of, "");
        }

        private boolean is(String by, String operand, String last) {
            return operator.equals(by)
                    && (of.isEmpty() || of.equals(operand))
                    && (reader.isEmpty() || reader.equals(last));
        }
    }

    /** transformers, masking_utils.py, find_packed_sequence_indices: first_dummy_value, position_diff, and the mask. */
    private static final Set<Held> PACKED_SEQUENCES =
            Set.of(new Held("aten.sub"), new Held("aten.diff"), new Held("aten.cumsum"));

    /**
     * transformers, integrations/moe.py, grouped_mm_experts_forward: the sorted experts, what is picked by them, their
     * counts and offsets; the last proj_out, as the ones before are overwritten.
     */
    private static final Set<Held> GROUPED_EXPERTS = Set.of(
            new Held("aten.sort"),
            new Held("aten.index"),
            new Held("aten.to", "aten.sort"),
            new Held("aten.histc"),
            new Held("aten.cumsum"),
            new Held("aten.unsqueeze"),
            new Held("aten.empty_like"),
            new Held("aten.masked_fill", "transformers.grouped_mm_fallback", "aten.mul"),
            new Held("aten.masked_fill", "aten._grouped_mm", "aten.mul"));

    private static final Map<String, Set<Held>> HELD = Map.of(
            // transformers, loss/loss_utils.py, ForCausalLMLoss: labels, and logits in float32
            "self.loss_function(",
            Set.of(
                    new Held("aten.pad"),
                    new Held("aten.view", "aten.to"),
                    new Held("aten.to", "", "aten.slice"),
                    new Held("aten.view", "aten.contiguous")),
            "create_causal_mask(",
            PACKED_SEQUENCES,
            "create_sliding_window_causal_mask(",
            PACKED_SEQUENCES,
            "= mask_function(",
            PACKED_SEQUENCES,
            "experts_forward(self",
            GROUPED_EXPERTS,
            // torchvision, models/densenet.py, _DenseLayer.bn_function: concated_features
            "self.bn_function(",
            Set.of(new Held("aten.cat")),
            // torch/nn/functional.py, multi_head_attention_forward: q, k, v, and q_scaled
            "F.multi_head_attention_forward(",
            Set.of(new Held("aten.linear", "", "aten.view"), new Held("aten.select"), new Held("aten.mul")),
            // torchvision, models/swin_transformer.py, shifted_window_attention: q, k, v
            "shifted_window_attention(",
            Set.of(new Held("aten.mul", "aten.select"), new Held("aten.select")));

    private LibraryVariables() {}

    /**
     * Whether a variable of the function that a line calls holds an operator's result.
     *
     * @param of the operator that made its first operand, or ""
     * @param reader the operator that reads the result last
     */
    static boolean hold(String line, String operator, String of, String reader) {
        for (Map.Entry<String, Set<Held>> e : HELD.entrySet()) {
            if (line.contains(e.getKey())) {
                for (Held h : e.getValue()) {
                    if (h.is(operator, of, reader)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Whether the variables of a function that a line calls are known. */
    static boolean knows(String line) {
        return HELD.keySet().stream().anyMatch(line::contains);
    }

    /**
     * Whether a line gives the first result of the router that it calls a name that nothing reads. Archives do not hold
     * what a function returns; routers of experts in transformers return their variable {@link #ROUTED} first
     * (models/mixtral/modeling_mixtral.py, MixtralTopKRouter, and others).
     */
    static boolean routes(String line) {
        return line.startsWith("_, ") && line.contains("= self.gate(");
    }
}
