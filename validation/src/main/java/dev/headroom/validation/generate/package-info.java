/**
 * Random models as data. A {@link dev.headroom.validation.generate.ModelWish} is a list of wishes that any numbers
 * make; {@link dev.headroom.validation.generate.Fitting} turns it into a well-formed tree of layers with the sizes
 * worked out, so that cutting a wish down (as property-based tests do with a failing one) always leaves a model. The
 * tree of layers becomes a graph here and an {@code nn.Module} in {@code fixtures/random/record_random.py}.
 */
@NullMarked
package dev.headroom.validation.generate;

import org.jspecify.annotations.NullMarked;
