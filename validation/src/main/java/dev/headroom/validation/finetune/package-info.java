/**
 * Predictions of models from a {@code config.json} against recordings of fine-tuning. Begin with {@link
 * dev.headroom.validation.finetune.FinetuneReport}.
 */
@NullMarked
package dev.headroom.validation.finetune;

import org.jspecify.annotations.NullMarked;
