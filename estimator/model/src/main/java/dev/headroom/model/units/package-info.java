/**
 * Numbers of bytes as people read them.
 */
@NullMarked
package dev.headroom.model.units;

import org.jspecify.annotations.NullMarked;
