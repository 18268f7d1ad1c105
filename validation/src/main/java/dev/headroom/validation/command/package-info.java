/** {@code headroom validate}. */
package dev.headroom.validation.command;
