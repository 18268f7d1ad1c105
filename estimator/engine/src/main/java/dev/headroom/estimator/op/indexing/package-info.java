/** Reading and writing by index, embeddings among them; gradients add up where an index comes twice. */
package dev.headroom.estimator.op.indexing;
