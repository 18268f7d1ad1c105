/**
 * From a partitioned graph to the allocations of generated code: which values become buffers, which kernels they are
 * made in, how long they live (torch/_inductor/graph.py, ir.py, scheduler.py, codegen/wrapper.py). Begin with
 * {@link dev.headroom.estimator.compile.lower.Compiler}, which has the others work one after the other.
 */
@NullMarked
package dev.headroom.estimator.compile.lower;

import org.jspecify.annotations.NullMarked;
