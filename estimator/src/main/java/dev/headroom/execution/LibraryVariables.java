package dev.headroom.execution;

import java.util.Map;
import java.util.Set;

/**
 * Local variables of library functions that leave no frame of their own in an archive: they hold their values until the
 * function returns. Keys are what the calling line says, values the operators whose results such variables hold.
 */
final class LibraryVariables {
    private static final Map<String, Set<String>> HELD = Map.of(
            // transformers, loss/loss_utils.py, ForCausalLMLoss: labels
            "self.loss_function(",
            Set.of("aten.pad"),
            // transformers, masking_utils.py, find_packed_sequence_indices: first_dummy_value, position_diff,
            // packed_sequence_mask
            "create_causal_mask(",
            Set.of("aten.sub", "aten.diff", "aten.cumsum"),
            // torchvision, models/swin_transformer.py, shifted_window_attention: q, k, v
            "shifted_window_attention(",
            Set.of("aten.mul", "aten.select"));

    private LibraryVariables() {}

    /** Whether a variable of the function that a line calls holds an operator's result. */
    static boolean hold(String line, String operator) {
        for (Map.Entry<String, Set<String>> e : HELD.entrySet()) {
            if (line.contains(e.getKey()) && e.getValue().contains(operator)) {
                return true;
            }
        }
        return false;
    }
}
