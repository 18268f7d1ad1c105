/**
 * The joint graph of forward and backward that AOTAutograd traces: ATen calls after Inductor's decompositions, each
 * with sizes and strides. {@link dev.headroom.estimator.compile.trace.Tape} makes backward's part of it, as the engine
 * of autograd would while it is traced.
 */
@NullMarked
package dev.headroom.estimator.compile.trace;

import org.jspecify.annotations.NullMarked;
