package dev.headroom.app.command;

import java.util.concurrent.Callable;

/**
 * A command that another module brings: a class with picocli's {@code @Command} and a public constructor, listed in
 * {@code META-INF/services/dev.headroom.app.command.Subcommand}. It returns the exit status and throws
 * {@link dev.headroom.model.error.UserInputException} for bad input.
 */
public interface Subcommand extends Callable<Integer> {}
