package dev.headroom.estimator.program;

import java.util.Map;
import java.util.Set;

/**
 * Local variables of library functions that leave no frame of their own in an archive: they hold their values until the
 * function returns. Keys are what the calling line says, values the operators whose results such variables hold.
 */
final class LibraryVariables {
    /**
     * Results of an operator.
     *
     * @param of the operator that made what it works on, or "" for any
     */
    private record Held(String operator, String of) {}

    private static final Map<String, Set<Held>> HELD = Map.of(
            // transformers, loss/loss_utils.py, ForCausalLMLoss: labels
            "self.loss_function(",
            Set.of(new Held("aten.pad", "")),
            // transformers, masking_utils.py, find_packed_sequence_indices: first_dummy_value, position_diff,
            // packed_sequence_mask
            "create_causal_mask(",
            Set.of(new Held("aten.sub", ""), new Held("aten.diff", ""), new Held("aten.cumsum", "")),
            // torchvision, models/densenet.py, _DenseLayer.bn_function: concated_features
            "self.bn_function(",
            Set.of(new Held("aten.cat", "")),
            // torchvision, models/swin_transformer.py, shifted_window_attention: q, k, v
            "shifted_window_attention(",
            Set.of(new Held("aten.mul", "aten.select"), new Held("aten.select", "")));

    private LibraryVariables() {}

    /**
     * Whether a variable of the function that a line calls holds an operator's result.
     *
     * @param of the operator that made its first operand, or ""
     */
    static boolean hold(String line, String operator, String of) {
        for (Map.Entry<String, Set<Held>> e : HELD.entrySet()) {
            if (line.contains(e.getKey())) {
                for (Held h : e.getValue()) {
                    if (h.operator.equals(operator) && (h.of.isEmpty() || h.of.equals(of))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
