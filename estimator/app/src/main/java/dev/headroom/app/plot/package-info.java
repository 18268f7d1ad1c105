/**
 * Memory over the run as a picture: {@link PlotFile} writes SVG or PNG.
 */
@NullMarked
package dev.headroom.app.plot;

import org.jspecify.annotations.NullMarked;
