/**
 * Undoes what exporting changed. Some libraries look whether they are being traced and then build what eager execution
 * skips, such as attention masks of ones. {@link SkippedMasks} and {@link AssignedNumbers} rewrite a graph into the
 * calls that the eager program makes. Each rewrite takes a graph and gives another one; none knows a model by name.
 */
@NullMarked
package dev.headroom.model.rewrite;

import org.jspecify.annotations.NullMarked;
