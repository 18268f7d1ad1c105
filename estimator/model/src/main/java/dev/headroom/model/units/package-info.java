/**
 * Values as people read them. {@link dev.headroom.model.units.ByteSizes} reads numbers of bytes,
 * {@link dev.headroom.model.units.Mib} writes them, and {@link dev.headroom.model.units.OptionNames} writes types and
 * constants as options have them.
 */
@NullMarked
package dev.headroom.model.units;

import org.jspecify.annotations.NullMarked;
