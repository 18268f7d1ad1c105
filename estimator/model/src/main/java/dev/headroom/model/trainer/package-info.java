/**
 * Training loops that libraries bring, as far as a scenario chooses among them:
 * {@link dev.headroom.model.trainer.LoopKind}, and what differs between versions of the transformers library. What a
 * loop does is the engine's business ({@code estimator.loop}).
 */
@NullMarked
package dev.headroom.model.trainer;

import org.jspecify.annotations.NullMarked;
