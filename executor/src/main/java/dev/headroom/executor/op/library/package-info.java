/**
 * Calls that stand for a function of a library, such as transformers: its kernels one by one, with the lifetimes of the
 * function's variables. {@code LibraryOperators} lists them.
 */
@NullMarked
package dev.headroom.executor.op.library;

import org.jspecify.annotations.NullMarked;
