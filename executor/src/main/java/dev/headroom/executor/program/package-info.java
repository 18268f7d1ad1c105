/**
 * Programs: a graph's operators run one after another, with the lifetimes of the Python variables behind them. Begin
 * with {@link dev.headroom.executor.program.Program}; {@link dev.headroom.executor.program.ValueLifetimes} says when a
 * value dies.
 */
@NullMarked
package dev.headroom.executor.program;

import org.jspecify.annotations.NullMarked;
