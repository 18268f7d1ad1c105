/**
 * What lines of Python say of the program behind a graph. {@code PythonFrame} is one line of a trace, {@code
 * ModuleFrames} has those of all nodes, and {@code TracedNodes} keeps them by graph; {@code LineStatements} tells apart
 * what shares a line, and {@code SpelledCalls} counts the modules that a line calls.
 */
@NullMarked
package dev.headroom.estimator.program.source;

import org.jspecify.annotations.NullMarked;
