package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import java.util.List;

/**
 * How much memory is missing where no plan gets through: of the variant that comes nearest.
 *
 * @param changes all that need least memory together
 * @param minimumMemory device bytes in which the run would then get through
 * @param missing bytes of these that the device does not have
 */
public record Shortfall(List<Change> changes, long minimumMemory, long missing) {}
