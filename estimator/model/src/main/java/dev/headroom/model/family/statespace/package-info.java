/**
 * Models of selective state spaces, in plain operators of PyTorch. Begin with {@link
 * dev.headroom.model.family.statespace.Mamba}.
 */
@NullMarked
package dev.headroom.model.family.statespace;

import org.jspecify.annotations.NullMarked;
