/**
 * A model in several parts that run one after another: where its graph can be cut, and what goes from part to part.
 * Begin with {@link dev.headroom.model.parts.Division}.
 */
@NullMarked
package dev.headroom.model.parts;

import org.jspecify.annotations.NullMarked;
