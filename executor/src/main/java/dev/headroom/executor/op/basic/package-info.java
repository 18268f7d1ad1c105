/**
 * What operators are made of: element-wise calls, copies, views, slices, reductions, type promotion, and autocast's
 * casts. Each function allocates and records what the ATen function of its name does. Operators of all families use
 * them.
 */
@NullMarked
package dev.headroom.executor.op.basic;

import org.jspecify.annotations.NullMarked;
