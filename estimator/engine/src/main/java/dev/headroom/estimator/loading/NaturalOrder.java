package dev.headroom.estimator.loading;

import java.util.List;
import java.util.stream.Stream;

/**
 * A tensor's name in the order in which a checkpoint's tensors are loaded: by the parts of their names between dots,
 * numbers before words, numbers at the end of words as numbers (transformers/core_model_loading.py, dot_natural_key).
 */
final class NaturalOrder implements Comparable<NaturalOrder> {

    private final String name;
    private final List<NamePart> parts;

    private NaturalOrder(String name) {
        this.name = name;
        this.parts = Stream.of(name.split("\\.", -1)).map(NamePart::of).toList();
    }

    /** Names in their order. */
    static List<String> sorted(Stream<String> names) {
        return names.map(NaturalOrder::new).sorted().map(n -> n.name).toList();
    }

    @Override
    public int compareTo(NaturalOrder other) {
        for (int i = 0; i < Math.min(parts.size(), other.parts.size()); i++) {
            int order = parts.get(i).compareTo(other.parts.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(parts.size(), other.parts.size());
    }
}
