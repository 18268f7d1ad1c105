/**
 * What the build's analysis of {@code null} cannot read off types. {@link Contract} says when a method gives {@code
 * null} back only because it was given {@code null}.
 */
@NullMarked
package dev.headroom.model.nullness;

import org.jspecify.annotations.NullMarked;
