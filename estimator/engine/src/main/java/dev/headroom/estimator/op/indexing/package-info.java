/** Reading and writing by index, embeddings among them; gradients add up where an index comes twice. */
@NullMarked
package dev.headroom.estimator.op.indexing;

import org.jspecify.annotations.NullMarked;
