/**
 * Families of language models: how each puts the parts of {@link dev.headroom.model.family.decoder} together. Begin
 * with {@code Plain}, which has what most of them share with Llama.
 */
@NullMarked
package dev.headroom.model.family.text;

import org.jspecify.annotations.NullMarked;
