/**
 * What lines of Python say of the program behind a graph.
 */
@NullMarked
package dev.headroom.estimator.program.source;

import org.jspecify.annotations.NullMarked;
