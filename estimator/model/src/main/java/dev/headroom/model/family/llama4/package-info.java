/**
 * Llama 4, whose layers have little in common with those of Llama 3: attention in chunks, rotations by complex numbers,
 * layers without positions, and experts that are all given all tokens. Begin with {@code Llama4}.
 */
@NullMarked
package dev.headroom.model.family.llama4;

import org.jspecify.annotations.NullMarked;
