/**
 * {@code headroom sweep}: many scenarios. {@link dev.headroom.app.sweep.Scenarios} are the rows of a file, {@link
 * dev.headroom.app.sweep.Sweep} answers them on all cores into a {@link dev.headroom.app.sweep.Journal}, from which
 * {@link dev.headroom.app.sweep.Finish} writes the table, the Pareto set and the heat map.
 */
@NullMarked
package dev.headroom.app.sweep;

import org.jspecify.annotations.NullMarked;
