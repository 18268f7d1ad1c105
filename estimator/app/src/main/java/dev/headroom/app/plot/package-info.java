/**
 * Memory over the run as a picture: {@link PlotFile} writes SVG or PNG. {@code MemoryPlot} lays it out: blocks stacked
 * by category, reserved memory as a line above.
 */
@NullMarked
package dev.headroom.app.plot;

import org.jspecify.annotations.NullMarked;
