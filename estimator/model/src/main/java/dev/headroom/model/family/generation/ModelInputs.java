package dev.headroom.model.family.generation;

import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.CacheStep;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Request;
import java.util.ArrayList;
import java.util.List;

/** {@code prepare_inputs_for_generation}: what the model is given besides tokens and their positions. */
final class ModelInputs {
    private final Request request;
    private final CacheStep step;
    private final List<Long> windows;

    /** @param windows of the kinds of layers, in the order in which their masks are made */
    ModelInputs(Request request, CacheStep step, List<Long> windows) {
        this.request = request;
        this.step = step;
        this.windows = windows;
    }

    /** Masks of attention, made ahead for a cache of fixed size; else that of tokens, which the model makes them of. */
    List<Value> prepare(Scope s, Value ids, Value positions) {
        if (!step.fixed()) {
            return step.prompt() ? List.of() : List.of(s.given(Names.ATTENTION_MASK));
        }
        List<Value> masks = new ArrayList<>();
        for (long window : windows) {
            Masks.prepare(s, request, ids, positions, window).ifPresent(masks::add);
        }
        return masks;
    }

    /** Masks take the names of the pass before. */
    void bindMasks(Scope s, List<Value> masks) {
        for (int i = 0; i < masks.size(); i++) {
            s.bind(Names.MODEL_MASK + i, masks.get(i));
        }
    }

    /** What the pass over the prompt was given goes when it returns. */
    void deletePrompt(Scope s) {
        s.delete(Names.MODEL_IDS);
        for (int i = 0; i < windows.size(); i++) {
            s.delete(Names.MODEL_MASK + i);
        }
    }
}
