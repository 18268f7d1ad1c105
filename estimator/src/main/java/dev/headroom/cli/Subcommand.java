package dev.headroom.cli;

import java.util.concurrent.Callable;

/**
 * A command that another module brings: a class with picocli's {@code @Command} and a public constructor, listed in
 * {@code META-INF/services/dev.headroom.cli.Subcommand}. It returns the exit status and throws
 * {@link dev.headroom.graph.GraphException} for bad input.
 */
public interface Subcommand extends Callable<Integer> {}
