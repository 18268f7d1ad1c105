/**
 * Decoders that were published as programs and have no config of transformers: that of the benchmarks' archives, and
 * torchtitan's. They are written in Java so that any size of them can be played.
 */
@NullMarked
package dev.headroom.validation.decoder;

import org.jspecify.annotations.NullMarked;
