package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What a decoder hands to its layers besides the hidden states, and what they leave behind. */
public final class Pass {
    /** Turns queries and keys by their positions. */
    public record Rotation(Value cos, Value sin) {}

    private final Map<String, Rotation> rotations = new HashMap<>();
    private final Map<String, Optional<Value>> masks = new HashMap<>();
    private final List<Value> cached = new ArrayList<>();
    private final List<Value> routed = new ArrayList<>();
    private int layers;
    private boolean prepared;

    public void rotate(String kind, Rotation rotation) {
        rotations.put(kind, rotation);
    }

    public void mask(String kind, Optional<Value> mask) {
        masks.put(kind, mask);
    }

    /** The model that holds the decoder has made the mask of a kind of layers. */
    void prepare(String kind, Value mask) {
        prepared = true;
        mask(kind, Optional.of(mask));
    }

    /** Whether masks were made before the decoder runs. */
    boolean isPrepared() {
        return prepared;
    }

    void cache(Value kept) {
        cached.add(kept);
    }

    /** The number of the layer that comes to its cache next. */
    int nextLayer() {
        return layers++;
    }

    /** What turns the queries and keys of a kind of layers. */
    public Rotation rotation(String kind) {
        return Objects.requireNonNull(rotations.get(kind), kind);
    }

    /** The mask of a kind of layers; empty where the kernel masks by itself. */
    public Optional<Value> mask(String kind) {
        return masks.getOrDefault(kind, Optional.empty());
    }

    /** Keeps the scores that a layer's router gave. */
    public void route(Value scores) {
        routed.add(scores);
    }

    /** What routers gave, layer by layer. */
    public List<Value> routed() {
        return routed;
    }

    /** What the cache holds of all layers. */
    public List<Value> cached() {
        return cached;
    }
}
