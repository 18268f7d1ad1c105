/** Programs: a graph's operators run one after another, with the lifetimes of the Python variables behind them. */
package dev.headroom.executor.program;
