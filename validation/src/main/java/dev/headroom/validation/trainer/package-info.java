/**
 * Runs of trl's SFTTrainer that others measured on real GPUs, beside predictions. Begin with {@link
 * dev.headroom.validation.trainer.FmsRow}; {@link dev.headroom.validation.trainer.FmsReport} prints all of them.
 */
@NullMarked
package dev.headroom.validation.trainer;

import org.jspecify.annotations.NullMarked;
