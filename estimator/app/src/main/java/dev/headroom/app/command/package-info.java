/**
 * The command line. {@link Main} starts it; every command is a class of its own, and what several share (the options
 * of a scenario and of a device, progress, the one line that a failure prints) stands beside them. A command of
 * another module implements {@link Subcommand} and is named in {@code META-INF/services}.
 */
@NullMarked
package dev.headroom.app.command;

import org.jspecify.annotations.NullMarked;
