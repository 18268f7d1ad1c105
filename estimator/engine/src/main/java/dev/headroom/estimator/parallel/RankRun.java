package dev.headroom.estimator.parallel;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import java.util.List;

/**
 * What makes a run one rank's: for one run, as it is played.
 *
 * @param hooks around the phases of the loop; none for a single GPU
 * @param collectives that the rank asks for, filled while the run is played
 */
public record RankRun(List<LoopHook> hooks, CollectiveLog collectives) {}
