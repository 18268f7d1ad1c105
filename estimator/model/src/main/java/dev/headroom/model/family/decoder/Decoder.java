package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.part.ModuleList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Token embeddings, layers, and a last norm. */
public final class Decoder extends Layer implements TextModel {
    /**
     * What its layers share.
     *
     * @param embeddings of tokens
     * @param norm of the last layer's result
     * @param rotary turns positions into rotations
     * @param windows the kinds of layers that a mask is made for, and how many tokens each sees, in that order
     * @param turns the kinds of layers that have a rotation each; empty where all share one
     * @param looks whether masks are made with a look at the positions
     * @param entry what is done with embedded tokens
     */
    public record Shared(
            Layer embeddings,
            Layer norm,
            Layer rotary,
            Map<String, Long> windows,
            List<String> turns,
            boolean looks,
            Entry entry) {
        public Shared {
            windows = new LinkedHashMap<>(windows);
        }

        /** Of layers that are all alike. */
        public Shared(Layer embeddings, Layer norm, Layer rotary, AttentionShape shape) {
            this(embeddings, norm, rotary, Map.of(shape.kind(), shape.window()), List.of());
        }

        /** With a look at the positions. */
        public Shared(Layer embeddings, Layer norm, Layer rotary, Map<String, Long> windows, List<String> turns) {
            this(embeddings, norm, rotary, windows, turns, true, Entry.PLAIN);
        }

        /** The same without a look at the positions. */
        public Shared withoutLook() {
            return new Shared(embeddings, norm, rotary, windows, turns, false, entry);
        }

        /** The same with another start. */
        public Shared with(Entry other) {
            return new Shared(embeddings, norm, rotary, windows, turns, looks, other);
        }
    }

    private final String type;
    private final Request request;
    private final Pass pass;
    private final Shared shared;
    private final List<Layer> layers = new ArrayList<>();
    private @Nullable Between between;

    /** What happens to the states after a layer. */
    public interface Between {
        Value after(Scope s, int layer, Value x);
    }

    /** @param type class name */
    public Decoder(String type, Request request, Pass pass, List<? extends Layer> layers, Shared shared) {
        this.type = type;
        this.request = request;
        this.pass = pass;
        this.shared = shared;
        child("embed_tokens", shared.embeddings);
        ModuleList list = child("layers", new ModuleList());
        layers.forEach(layer -> this.layers.add(list.add(layer)));
        @Nullable Layer dropout = shared.entry.module();
        if (dropout == null) {
            child("norm", shared.norm);
        }
        child("rotary_emb", shared.rotary);
        if (dropout != null) {
            child("embed_dropout", dropout);
            child("final_layernorm", shared.norm);
        }
    }

    @Override
    public Map<String, Long> windows() {
        return shared.windows();
    }

    @Override
    public Map<String, Long> used() {
        Map<String, Long> used = new LinkedHashMap<>(shared.windows());
        used.keySet()
                .removeIf(kind -> !shared.turns().isEmpty() && !shared.turns().contains(kind));
        used.values().removeIf(window -> window == Masks.EMPTY_WINDOW);
        return used;
    }

    /** Takes the mask of a kind of layers from the model that holds this one, instead of making masks. */
    public void prepare(String kind, Value mask) {
        pass.prepare(kind, mask);
    }

    /** Takes what the model that holds this one does between layers. */
    public void between(Between other) {
        between = other;
    }

    @Override
    public Layer embeddings() {
        return shared.embeddings;
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("embedded = self.embed_tokens(input_ids)");
        Value x = s.isLet("inputs_embeds") ? in[0] : s.call(shared.embeddings, in[0]);
        x = shared.entry.before(s, x);
        Value positions = Positions.write(s, request);
        Value embedded = x;
        @Nullable Value seen = shared.looks ? positions : null;
        if (!pass.isPrepared()) {
            shared.windows.forEach((kind, window) -> pass.mask(
                    kind,
                    kind.equals(AttentionShape.CHUNKED)
                            ? Masks.chunked(s, request, embedded, seen, window)
                            : Masks.causal(s, request, embedded, seen, window)));
        }
        x = shared.entry.after(s, x);
        rotate(s, x, positions);
        Value[] outputs = {}; // layer_outputs, which names a layer's result until the next layer has its own
        for (int i = 0; i < layers.size(); i++) {
            s.line("x = layer(x, mask, position_embeddings)");
            x = s.call(layers.get(i), x);
            if (between != null) {
                Value made = x;
                s.line("layer_outputs = x");
                s.use(outputs);
                outputs = new Value[] {made};
                x = between.after(s, i, made);
            }
        }
        s.line("x = self.norm(x)");
        Value out = s.call(shared.norm, x);
        s.use(outputs);
        if (shared.entry.dropout() != null) {
            s.use(embedded); // still named inputs_embeds
        }
        if (shared.windows.size() > 1) { // what holds the masks holds those that no layer took as well
            s.line("return x");
            shared.windows.keySet().forEach(kind -> pass.mask(kind).ifPresent(s::use));
        }
        return out;
    }

    private void rotate(Scope s, Value embedded, Value positions) {
        if (shared.turns.isEmpty()) {
            s.line("position_embeddings = self.rotary_emb(x, position_ids)");
            Pass.Rotation all = rotation(s.results(shared.rotary, embedded, positions));
            shared.windows.keySet().forEach(kind -> pass.rotate(kind, all));
        }
        for (String kind : shared.turns) {
            s.line("turns_of_" + kind + " = self.rotary_emb(x, position_ids, layer_type)");
            pass.rotate(kind, rotation(s.results(shared.rotary, embedded, positions, new Value(kind))));
        }
    }

    private static Pass.Rotation rotation(Value... turns) {
        return new Pass.Rotation(turns[0], turns[1]);
    }
}
