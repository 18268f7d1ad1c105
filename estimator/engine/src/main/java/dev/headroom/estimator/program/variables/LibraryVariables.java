package dev.headroom.estimator.program.variables;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
     * @param until whose result the variable gets next; {@code null} for one that keeps its value
     */
    private record Held(
            String operator,
            String of,
            String reader,
            @Nullable Until until) {
        Held(String operator) {
            this(operator, "", "", null);
        }

        Held(String operator, String of) {
            this(operator, of, "", null);
        }

        Held(String operator, String of, String reader) {
            this(operator, of, reader, null);
        }

        private boolean is(String by, String operand, String last) {
            return operator.equals(by)
                    && (of.isEmpty() || of.equals(operand))
                    && (reader.isEmpty() || reader.equals(last));
        }
    }

    /**
     * The operator whose result a variable gets next.
     *
     * @param of the operator that made what it works on
     */
    record Until(String operator, String of) {}

    /**
     * transformers, masking_utils.py, find_packed_sequence_indices: first_dummy_value, position_diff, and the mask;
     * _ignore_causal_mask_sdpa: padding_mask, whose true values are counted.
     */
    private static final Set<Held> PACKED_SEQUENCES = Set.of(
            new Held("aten.sub"), new Held("aten.diff"), new Held("aten.cumsum"), new Held("aten.to", "", "aten.sum"));

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

    /** What heads of attention find, side by side again. */
    private static final Until HEADS = new Until("aten.reshape", "aten.transpose");

    private static final Until ATTENTION = new Until("aten.scaled_dot_product_attention", "aten.view");

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
            // torch/nn/functional.py, multi_head_attention_forward: q, k, v, attn_mask, and q_scaled; where one
            // operator
            // attends, q, k and v are deleted behind it
            "F.multi_head_attention_forward(",
            Set.of(
                    new Held("aten.linear", "", "aten.view", ATTENTION),
                    new Held("aten.select", "", "", ATTENTION),
                    new Held("aten.reshape", "aten.expand", "aten.baddbmm"),
                    new Held("aten.view", "aten.reshape", "aten.scaled_dot_product_attention"),
                    new Held("aten.view", "aten.add", "aten.scaled_dot_product_attention"),
                    new Held("aten.add", "", "aten.baddbmm"),
                    new Held("aten.mul")),
            // transformers, apply_rotary_pos_emb of each model: q_embed and k_embed, which are read last where they get
            // their next values, and views
            "apply_rotary_pos_emb(",
            Set.of(),
            // torch/nn/modules/transformer.py, _ff_block: x, until linear2's result
            "self._ff_block(self.norm",
            Set.of(new Held("aten.layer_norm", "", "", new Until("aten.linear", "aten.dropout"))),
            // torchvision, models/swin_transformer.py, shifted_window_attention: q, k, v, x until the heads'
            // results, and attn_mask
            "shifted_window_attention(",
            Set.of(
                    new Held("aten.mul", "aten.select"),
                    new Held("aten.select"),
                    new Held("aten.reshape", "aten.permute", "aten.linear", HEADS),
                    new Held("aten.reshape", "aten.permute", "aten.new_zeros", HEADS),
                    new Held("aten.sub", "", "", new Until("aten.masked_fill", "aten.masked_fill")),
                    new Held("aten.masked_fill", "aten.masked_fill")));

    /** No operator: the function returns. */
    static final Until ITS_END = new Until("", "");

    /** What functions do last to what they return. */
    static final Set<String> FORMS = Set.of(
            "aten.to",
            "aten.type_as",
            "aten.view",
            "aten.reshape",
            "aten.flatten",
            "aten.transpose",
            "aten.permute",
            "aten.contiguous",
            "aten.squeeze",
            "aten.unsqueeze");

    private LibraryVariables() {}

    /**
     * What a variable of the function that a line calls gets after an operator's result; {@code null} where none holds
     * that result, {@link #ITS_END} where it does until the function returns.
     *
     * @param of the operator that made its first operand, or ""
     * @param reader the operator that reads the result last
     */
    static @Nullable Until hold(String line, String operator, String of, String reader) {
        for (Map.Entry<String, Set<Held>> e : HELD.entrySet()) {
            if (line.contains(e.getKey())) {
                for (Held h : e.getValue()) {
                    if (h.is(operator, of, reader)) {
                        return h.until == null ? ITS_END : h.until;
                    }
                }
            }
        }
        return null;
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
