/**
 * Mixtures of experts: routers, and the ways in which the transformers library computes experts. Begin with {@link
 * dev.headroom.model.family.experts.Experts}.
 */
@NullMarked
package dev.headroom.model.family.experts;

import org.jspecify.annotations.NullMarked;
