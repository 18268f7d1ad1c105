/**
 * What a model from a {@code config.json} computes beside what its config says: its head, its masks, whether it keeps
 * keys and values, how its experts are computed. The scenario holds these choices; the families read them.
 */
@NullMarked
package dev.headroom.model.family.options;

import org.jspecify.annotations.NullMarked;
