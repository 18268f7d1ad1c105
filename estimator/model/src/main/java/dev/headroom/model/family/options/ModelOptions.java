package dev.headroom.model.family.options;

import dev.headroom.model.record.Withers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model that is built from its {@code config.json} computes. An archive has decided all of it but the sequence
 * length.
 *
 * @param seq tokens of a sequence, bound to the symbol {@code seq}; {@code null} when the graph has none
 * @param task which head the model has
 * @param mask the {@code attention_mask} of a batch
 * @param packing position numbers that restart in the middle of a sequence, without a mask
 * @param useCache {@code config.use_cache} while training: outputs hold keys and values of all layers
 * @param inputGrads {@code enable_input_require_grads()}: the embedded tokens require a gradient, whatever is frozen
 * @param experts how experts are computed
 * @param routing how many tokens each expert gets where that decides sizes
 * @param imageSize height and width of the image that comes with each sequence, in pixels, of a model that takes images
 *     of any size; empty where it is not said
 * @param entries entries of the {@code config.json} that are replaced, {@code KEY=JSON}
 */
@Withers
public record ModelOptions(
        @Nullable Long seq,
        Task task,
        Mask mask,
        boolean packing,
        boolean useCache,
        boolean inputGrads,
        Experts experts,
        Routing routing,
        List<Integer> imageSize,
        List<String> entries)
        implements ModelOptionsWithers.With {
    public ModelOptions {
        imageSize = List.copyOf(imageSize);
        entries = List.copyOf(entries);
    }

    public static final ModelOptions DEFAULTS = new ModelOptions(
            null, Task.AUTO, Mask.NONE, false, false, false, Experts.AUTO, Routing.BALANCED, List.of(), List.of());

    /** Heads of models. */
    public enum Task {
        /** The first of the config's {@code architectures}. */
        AUTO,
        SEQUENCE_CLASSIFICATION,
        TOKEN_CLASSIFICATION,
        QUESTION_ANSWERING
    }

    /** Attention masks. */
    public enum Mask {
        NONE,
        /** All ones. */
        FULL,
        /** The first sequence ends in padding. */
        PADDED
    }

    /** Implementations of experts in transformers. */
    public enum Experts {
        /** {@code GROUPED_MM}, the library's default. */
        AUTO,
        GROUPED_MM,
        BATCHED_MM,
        EAGER
    }

    /** How a router spreads tokens over experts. */
    public enum Routing {
        /** Every expert gets as many. */
        BALANCED,
        /** A few experts get all. */
        WORST
    }
}
