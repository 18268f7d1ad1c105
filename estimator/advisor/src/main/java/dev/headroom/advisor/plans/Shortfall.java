package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import java.util.List;

/**
 * How near the nearest failure comes.
 *
 * @param changes all that need least memory together
 * @param minimumMemory device bytes in which the run would then get through
 * @param missing of these
 */
public record Shortfall(List<Change> changes, long minimumMemory, long missing) {}
