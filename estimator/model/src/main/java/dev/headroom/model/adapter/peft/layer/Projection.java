package dev.headroom.model.adapter.peft.layer;

import java.util.List;

/**
 * The two random matrices that all VeRA layers of a model share: as wide as the widest needs (peft,
 * tuners/vera/model.py, _find_dim).
 *
 * @param owner path of the first layer, at which they come to the device
 * @param in most elements of an input
 * @param out most elements of a result
 */
public record Projection(String owner, long in, long out) {
    /** That of some layers, of which there is at least one. */
    public static Projection of(List<Layer> layers) {
        return new Projection(
                layers.get(0).path(),
                layers.stream().mapToLong(Layer::in).max().orElse(0),
                layers.stream().mapToLong(Layer::out).max().orElse(0));
    }
}
