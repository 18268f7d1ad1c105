/**
 * Norms, feed-forward parts and layers that families of models share. Begin with {@link
 * dev.headroom.model.family.part.DecoderLayer}.
 */
@NullMarked
package dev.headroom.model.family.part;

import org.jspecify.annotations.NullMarked;
