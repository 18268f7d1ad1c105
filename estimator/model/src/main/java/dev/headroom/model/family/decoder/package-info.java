/**
 * Parts of decoders, in the order of transformers' own calls. Begin with {@link
 * dev.headroom.model.family.decoder.CausalLanguageModel}. Source lines say what variables hold: names are those that
 * matter to lifetimes, not those of the library.
 */
@NullMarked
package dev.headroom.model.family.decoder;

import org.jspecify.annotations.NullMarked;
