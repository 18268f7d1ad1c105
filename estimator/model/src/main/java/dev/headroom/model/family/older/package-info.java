/**
 * Decoders that are written in a way of their own, as those are that came before Llama. Begin with {@link
 * dev.headroom.model.family.older.Falcon}.
 */
@NullMarked
package dev.headroom.model.family.older;

import org.jspecify.annotations.NullMarked;
