/**
 * Training loops that libraries bring, as far as a scenario chooses among them: {@link
 * dev.headroom.model.trainer.LoopKind}, and what differs between versions of the transformers library.
 */
@NullMarked
package dev.headroom.model.trainer;

import org.jspecify.annotations.NullMarked;
