/** Models that see: {@link dev.headroom.model.family.vision.ClipVision} and language models with such a tower. */
@NullMarked
package dev.headroom.model.family.vision;

import org.jspecify.annotations.NullMarked;
