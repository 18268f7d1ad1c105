/**
 * Models that see: {@code ClipVision} and language models with such a tower.
 * {@link dev.headroom.model.family.vision.Vit} classifies images, {@link dev.headroom.model.family.vision.Llava} hands
 * them to a language model, {@link dev.headroom.model.family.vision.QwenVl} those of any size.
 */
@NullMarked
package dev.headroom.model.family.vision;

import org.jspecify.annotations.NullMarked;
