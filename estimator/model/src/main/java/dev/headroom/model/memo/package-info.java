/**
 * What is remembered beside the things that it was read off: {@code GraphMemo} by the very graph, {@code Recent} the
 * last few answers to questions. Neither keeps a graph alive, nor memory that is short.
 */
@NullMarked
package dev.headroom.model.memo;

import org.jspecify.annotations.NullMarked;
