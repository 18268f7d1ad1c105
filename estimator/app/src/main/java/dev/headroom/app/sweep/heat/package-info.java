/**
 * Pictures of a sweep: device memory over two options, as an image or as a page. {@link
 * dev.headroom.app.sweep.heat.HeatMap} takes the rows, {@link dev.headroom.app.sweep.heat.HeatMapFile} draws them.
 */
@NullMarked
package dev.headroom.app.sweep.heat;

import org.jspecify.annotations.NullMarked;
