package dev.headroom.report.page;

import dev.headroom.timeline.PlayedRun;

/**
 * A run on a page.
 *
 * @param label what sets it apart from the other runs of the page
 * @param played the run
 */
public record PageRun(String label, PlayedRun played) {}
