package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Embeddings; {@link Embedding} plays them. */
public final class EmbeddingRules {
    private EmbeddingRules() {}

    public static void register(Registry r) {
        Renormalisation.register(r);
        r.add("aten.embedding_bag", EmbeddingBag::run);
        r.add("aten._embedding_bag", EmbeddingBag::run);
        r.single("aten.embedding", c -> {
            Tensor weight = c.tensor("weight");
            Tensor indices = c.tensor("indices");
            return c.flag("sparse", false)
                    ? SparseEmbedding.embedding(c.runtime(), weight, indices, c.integer("padding_idx", -1))
                    : Embedding.embedding(c.runtime(), weight, indices, c.flag("scale_grad_by_freq", false));
        });
    }
}
