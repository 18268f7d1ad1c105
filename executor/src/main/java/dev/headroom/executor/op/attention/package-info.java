/**
 * Scaled dot product attention. {@link dev.headroom.executor.op.attention.AttentionChoice} says which of PyTorch's four
 * implementations takes a call; each has a class with its layouts, its workspaces and what it saves.
 */
@NullMarked
package dev.headroom.executor.op.attention;

import org.jspecify.annotations.NullMarked;
