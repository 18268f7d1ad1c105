/** Families of language models: how each puts the parts of {@link dev.headroom.model.family.decoder} together. */
@NullMarked
package dev.headroom.model.family.text;

import org.jspecify.annotations.NullMarked;
