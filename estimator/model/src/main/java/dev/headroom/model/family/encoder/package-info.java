/**
 * Encoders and their heads: models whose tokens see each other in both directions. {@link
 * dev.headroom.model.family.encoder.Bert} puts the parts together.
 */
@NullMarked
package dev.headroom.model.family.encoder;

import org.jspecify.annotations.NullMarked;
