/**
 * Models that are given sound. Begin with {@link dev.headroom.model.family.speech.Whisper}, which reads a spectrogram
 * and writes what was said.
 */
@NullMarked
package dev.headroom.model.family.speech;

import org.jspecify.annotations.NullMarked;
