package dev.headroom.model.family;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.encoder.Bert;
import dev.headroom.model.family.text.Llama;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The table of families: what a config's {@code model_type} stands for. */
public final class Families {
    /**
     * A row.
     *
     * @param modelType in configs
     * @param name for people
     * @param model the model of a request
     */
    public record Family(String modelType, String name, Function<Request, Layer> model) {}

    private static final List<Family> ALL = List.of(
            new Family("llama", "Llama 2 and 3, SmolLM", Llama::of),
            new Family("bert", "BERT", Bert::bert),
            new Family("roberta", "RoBERTa", Bert::roberta));

    private Families() {}

    /** All, in the table's order. */
    public static List<Family> all() {
        return ALL;
    }

    /** The one of a {@code model_type}. */
    public static Optional<Family> find(String modelType) {
        return ALL.stream().filter(f -> f.modelType().equals(modelType)).findFirst();
    }
}
