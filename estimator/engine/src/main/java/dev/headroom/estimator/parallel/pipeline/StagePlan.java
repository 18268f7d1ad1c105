package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.PipelineOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Which rank has which stages.
 *
 * @param schedule name, in lower case
 * @param world ranks
 * @param perRank stages of each
 */
record StagePlan(String schedule, int world, int perRank) {
    static StagePlan of(PipelineOptions options, int world) {
        String schedule = options.schedule().toLowerCase(Locale.ROOT);
        int perRank =
                switch (schedule) {
                    case "gpipe", "1f1b" -> 1;
                    case "zbvzerobubble", "dualpipev" -> 2;
                    default -> options.virtualStages();
                };
        return new StagePlan(schedule, world, perRank);
    }

    int stages() {
        return world * perRank;
    }

    /** Whether the second half of the stages goes back over the ranks. */
    private boolean isV() {
        return schedule.equals("zbvzerobubble") || schedule.equals("dualpipev");
    }

    int rankOf(int stage) {
        return isV() && stage >= world ? 2 * world - 1 - stage : stage % world;
    }

    /** Stages of a rank, in order. */
    List<Integer> of(int rank) {
        List<Integer> out = new ArrayList<>();
        for (int s = 0; s < stages(); s++) {
            if (rankOf(s) == rank) {
                out.add(s);
            }
        }
        return out;
    }

    /** What a rank does in a step. */
    Schedule schedule(EagerRuntime runtime, Peers peers, List<Stage> own, int rank, int microbatches) {
        if (perRank == 1 && (schedule.equals("gpipe") || schedule.equals("1f1b"))) {
            if (schedule.equals("1f1b") && microbatches < world) {
                throw new UserInputException(
                        "`microbatches=" + microbatches + "`: 1F1B needs at least as many as the " + world + " stages");
            }
            SingleStage single = new SingleStage(runtime, peers, own.get(0), world, microbatches);
            return schedule.equals("gpipe") ? single::gpipe : single::oneForwardOneBackward;
        }
        List<List<Action>> computed = new ArrayList<>();
        for (int r = 0; r < world; r++) {
            computed.add(computed(r, microbatches));
        }
        List<Action> actions =
                new Lowering(this, microbatches, computed).lowered().get(rank);
        return new SeveralStages(runtime, peers, this, own, actions, microbatches);
    }

    private List<Action> computed(int rank, int microbatches) {
        return switch (schedule) {
            case "interleaved1f1b" -> new InterleavedTable(this, rank, microbatches).oneForwardOneBackward();
            case "interleavedzerobubble" -> new InterleavedTable(this, rank, microbatches).zeroBubble();
            case "loopedbfs" -> new InterleavedTable(this, rank, microbatches).breadthFirst();
            case "zbvzerobubble" -> new FoldedTable(this, rank, microbatches).zeroBubble();
            case "dualpipev" -> new FoldedTable(this, rank, microbatches).dual();
            default -> throw new UserInputException("`schedule=" + schedule + "` is not known");
        };
    }
}
