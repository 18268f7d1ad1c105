/**
 * Reading and writing by index, embeddings among them; gradients add up where an index comes twice. Reading is in
 * {@code Indexing}, writing in {@code Scatter}.
 */
@NullMarked
package dev.headroom.estimator.op.indexing;

import org.jspecify.annotations.NullMarked;
