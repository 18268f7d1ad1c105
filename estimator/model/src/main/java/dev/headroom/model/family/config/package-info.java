/**
 * {@code config.json} files of the transformers library: where they are found, and what they say. Begin with {@link
 * dev.headroom.model.family.config.ModelConfig}.
 */
@NullMarked
package dev.headroom.model.family.config;

import org.jspecify.annotations.NullMarked;
