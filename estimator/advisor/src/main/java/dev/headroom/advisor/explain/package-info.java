/**
 * Tells in sentences why a run takes the memory it takes. {@link Explanation} is a list of {@link Finding}s: a
 * question, its answer, and the numbers behind it as an {@link Account} whose parts add up.
 */
@NullMarked
package dev.headroom.advisor.explain;

import org.jspecify.annotations.NullMarked;
