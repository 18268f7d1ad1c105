/**
 * Memory over the run as a picture: {@link PlotFile} writes SVG or PNG.
 */
package dev.headroom.app.plot;
