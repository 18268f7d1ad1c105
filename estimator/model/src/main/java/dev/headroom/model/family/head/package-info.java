/**
 * What a model is asked to say: heads that classify sequences or tokens, or find answers, and their losses. Begin with
 * {@link dev.headroom.model.family.head.DecoderHeads}.
 */
@NullMarked
package dev.headroom.model.family.head;

import org.jspecify.annotations.NullMarked;
