package dev.headroom.estimator.op.indexing;

import dev.headroom.estimator.op.rule.Registry;

/** Embeddings; {@link Embedding} plays them. */
public final class EmbeddingRules {
    private EmbeddingRules() {}

    public static void register(Registry r) {
        r.add("aten.embedding_bag", EmbeddingBag::run);
        r.add("aten._embedding_bag", EmbeddingBag::run);
        r.single("aten.embedding", c -> {
            boolean scaled = c.flag("scale_grad_by_freq", false);
            return Embedding.embedding(
                    c.runtime(), c.tensor("weight"), c.tensor("indices"), scaled, c.flag("sparse", false));
        });
    }
}
