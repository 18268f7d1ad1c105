/**
 * The command {@code headroom validate} and the script that records a training loop of the user's. The command is a
 * service of the command line, because it brings the recordings along.
 */
@NullMarked
package dev.headroom.validation.command;

import org.jspecify.annotations.NullMarked;
