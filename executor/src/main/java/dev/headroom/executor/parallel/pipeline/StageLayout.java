package dev.headroom.executor.parallel.pipeline;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.Parallelism;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Which rank has which stages: every rank one, or several in turns.
 *
 * @param schedule name in lower case
 */
record StageLayout(String schedule, int ranks, int ofEach) {
    static final String GPIPE = "gpipe";
    static final String ONE_FORWARD_ONE_BACKWARD = "1f1b";

    static final String LOOPED_BFS = "loopedbfs";
    static final String INTERLEAVED = "interleaved1f1b";

    /** @throws UserInputException for a schedule that the executor does not run */
    static StageLayout of(Parallelism parallel) {
        String schedule = parallel.pipeline().schedule().toLowerCase(Locale.ROOT);
        boolean single = List.of(GPIPE, ONE_FORWARD_ONE_BACKWARD).contains(schedule);
        if (!single && !List.of(LOOPED_BFS, INTERLEAVED).contains(schedule)) {
            throw new UserInputException("`schedule=" + parallel.pipeline().schedule()
                    + "`: the executor runs GPipe, 1F1B, Interleaved1F1B and LoopedBFS; take one of them,"
                    + " or predict it");
        }
        if (schedule.equals(ONE_FORWARD_ONE_BACKWARD) && parallel.pipeline().microbatches() < parallel.world()) {
            throw new UserInputException("`microbatches=" + parallel.pipeline().microbatches()
                    + "`: 1F1B takes at least one for each of the " + parallel.world() + " stages");
        }
        return new StageLayout(
                schedule, parallel.world(), single ? 1 : parallel.pipeline().virtualStages());
    }

    boolean isSingle() {
        return schedule.equals(GPIPE) || schedule.equals(ONE_FORWARD_ONE_BACKWARD);
    }

    int stages() {
        return ranks * ofEach;
    }

    int rankOf(int stage) {
        return stage % ranks;
    }

    List<Integer> of(int rank) {
        return IntStream.range(0, stages())
                .filter(s -> rankOf(s) == rank)
                .boxed()
                .toList();
    }
}
