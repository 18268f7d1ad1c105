/** Recurrent layers in cuDNN, and single steps of recurrent cells. */
package dev.headroom.estimator.op.recurrent;
