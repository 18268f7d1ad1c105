/** The command line: options, commands, and the one line that a failure prints. */
package dev.headroom.app.command;
