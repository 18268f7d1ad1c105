/**
 * What to change so that a run fits, or so that a larger one does. {@link Advisor} answers with {@link Plan}s. Each
 * was played within the device's memory before it is told. What changes nothing in the results comes first, then more
 * work for the same results, fewer bits, and other optimizers.
 */
@NullMarked
package dev.headroom.advisor.plans;

import org.jspecify.annotations.NullMarked;
