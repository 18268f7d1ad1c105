/**
 * Heads and losses that libraries around PyTorch compute in one piece, without the scores of all tokens. Begin with
 * {@link dev.headroom.estimator.op.fused.FusedRules}; the passes of {@code model.rewrite} put their calls into
 * graphs.
 */
@NullMarked
package dev.headroom.estimator.op.fused;

import org.jspecify.annotations.NullMarked;
