/**
 * How long Python's variables hold values. {@code Lifetimes} says after which node each value of a graph is dropped;
 * {@code PythonVariables} reads that off the lines in the stack traces, with help for what has no line: {@code
 * HiddenNames} for names whose assignment is out of sight, {@code HiddenFunctions} for functions that leave no frames,
 * {@code SiblingCalls} for other runs of the same line, {@code LibraryVariables} for PyTorch's own functions. {@code
 * TracedAliases} undoes what tracing does to names.
 */
@NullMarked
package dev.headroom.estimator.program.variables;

import org.jspecify.annotations.NullMarked;
