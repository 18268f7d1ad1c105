/**
 * Models with an encoder and a decoder that looks at what it made. Begin with {@link
 * dev.headroom.model.family.seq2seq.T5}.
 */
@NullMarked
package dev.headroom.model.family.seq2seq;

import org.jspecify.annotations.NullMarked;
