package dev.headroom.estimator.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names are sorted as {@code sorted(names, key=dot_natural_key)} sorts them in transformers 5.17. */
class NaturalOrderTest {
    private static final List<String> SORTED = List.of(
            "0.weight",
            "2.bias",
            "10.bias",
            "h.norm.weight",
            "lm_head.weight",
            "model.embed_tokens.weight",
            "model.layers.2.mlp.fc.weight",
            "model.layers.2.mlp.fc1.weight",
            "model.layers.2.mlp.fc2.weight",
            "model.layers.2.mlp.fc10.weight",
            "model.layers.10.mlp.fc1.weight",
            "model.norm.weight");

    @Test
    void numbersComeBeforeWordsAndByTheirValue() {
        List<String> names = new ArrayList<>(SORTED);
        Collections.reverse(names);
        assertEquals(SORTED, NaturalOrder.sorted(names.stream()));
    }
}
