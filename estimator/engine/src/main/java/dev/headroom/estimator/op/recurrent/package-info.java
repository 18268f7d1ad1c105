/** Recurrent layers in cuDNN, and single steps of recurrent cells. */
@NullMarked
package dev.headroom.estimator.op.recurrent;

import org.jspecify.annotations.NullMarked;
