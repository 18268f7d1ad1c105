package dev.headroom.advisor.checkpoints;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What users do without a planner: store all, split a chain into √n segments, checkpoint every block. */
final class Baselines {
    private static final String SEGMENTS = "√n segments";
    private static final String BLOCKS = "every block";

    private final Rehearsal rehearsal;
    private final Stages stages;
    private final boolean reentrant;
    private final Graph graph;
    private final List<Candidate> candidates;

    Baselines(Rehearsal rehearsal, Stages stages, boolean reentrant) {
        this.reentrant = reentrant;
        this.rehearsal = rehearsal;
        this.stages = stages;
        this.graph = rehearsal.storeAll().prepared().plan().graph();
        this.candidates = List.of(segments(), blocks());
    }

    /** What storing all is compared with. */
    List<Candidate> candidates() {
        return candidates;
    }

    /** Those that the model has, store all first. */
    List<CheckpointChoice> choices() {
        List<CheckpointChoice> out = new ArrayList<>();
        rehearsal.play(Candidate.STORE_ALL).ifPresent(out::add);
        for (Candidate candidate : candidates) {
            rehearsal.play(candidate).filter(c -> !c.storesAll()).ifPresent(out::add);
        }
        return out;
    }

    /** {@code checkpoint_sequential} where the model is split so; else runs of about √n blocks. */
    private Candidate segments() {
        int chain = CheckpointPlan.hasSwitch(graph) ? 0 : CheckpointPlan.chainLength(graph);
        return chain > 1
                ? new Candidate(SEGMENTS, root(chain), List.of(), reentrant)
                : new Candidate(SEGMENTS, 0, runs(), reentrant);
    }

    private static int root(int n) {
        return (int) Math.max(1, Math.round(Math.sqrt(n)));
    }

    /** The last run is stored, as {@code checkpoint_sequential} does. */
    private List<String> runs() {
        int[] blocks = IntStream.range(0, stages.size()).filter(this::isBlock).toArray();
        int length = root(blocks.length);
        List<String> runs = new ArrayList<>();
        int i = 0;
        while (i < blocks.length) {
            int end = i;
            for (int k = i + 1; k < Math.min(i + length, blocks.length); k++) {
                end = stages.name(blocks[i], blocks[k]) == null ? end : k;
            }
            if (end < blocks.length - 1) {
                runs.add(stages.name(blocks[i], blocks[end]));
            }
            i = end + 1;
        }
        return runs;
    }

    /** The switch of the model's library, else each block by name. */
    private Candidate blocks() {
        if (CheckpointPlan.hasSwitch(graph)) {
            return new Candidate(BLOCKS, 1, List.of(), reentrant);
        }
        List<String> blocks = IntStream.range(0, stages.size())
                .filter(this::isBlock)
                .mapToObj(i -> stages.name(i, i))
                .toList();
        return new Candidate(BLOCKS, 0, blocks, reentrant);
    }

    /** A module of several operators; where there are no such, any module. */
    private boolean isBlock(int i) {
        boolean some = stages.all().stream().anyMatch(Baselines::isLarge);
        return some ? isLarge(stages.all().get(i)) : stages.all().get(i).isModule();
    }

    private static boolean isLarge(Stage s) {
        return s.isModule() && s.to() - s.from() > 2;
    }
}
