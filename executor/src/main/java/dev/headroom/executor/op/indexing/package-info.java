/**
 * Operators that pick or place elements by indices, and embeddings. Their backward functions sort the indices; the
 * scratch memory that CUB takes for it is computed here.
 */
@NullMarked
package dev.headroom.executor.op.indexing;

import org.jspecify.annotations.NullMarked;
