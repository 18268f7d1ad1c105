package dev.headroom.planning;

import java.util.ArrayList;
import java.util.List;

/** What users do without a planner: store all, split a chain into √n segments, checkpoint every block. */
final class Baselines {
    private static final String SEGMENTS = "√n segments";
    private static final String BLOCKS = "every block";

    private final Rehearsal rehearsal;
    private final Stages stages;

    Baselines(Rehearsal rehearsal, Stages stages) {
        this.rehearsal = rehearsal;
        this.stages = stages;
    }

    /** Those that the model has, store all first. */
    List<CheckpointChoice> choices(Boolean reentrant) {
        List<CheckpointChoice> out = new ArrayList<>();
        rehearsal.play(Candidate.STORE_ALL).ifPresent(out::add);
        rehearsal.play(segments(reentrant)).filter(c -> !c.storesAll()).ifPresent(out::add);
        rehearsal.play(blocks(reentrant)).filter(c -> !c.storesAll()).ifPresent(out::add);
        return out;
    }

    /** Runs of about √n blocks; the last is stored, as {@code checkpoint_sequential} does. */
    private Candidate segments(Boolean reentrant) {
        List<int[]> all = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            if (isBlock(i)) {
                all.add(new int[] {i});
            }
        }
        int length = (int) Math.max(1, Math.round(Math.sqrt(all.size())));
        List<String> runs = new ArrayList<>();
        int i = 0;
        while (i < all.size()) {
            int end = i;
            for (int k = i + 1; k < Math.min(i + length, all.size()); k++) {
                end = stages.name(all.get(i)[0], all.get(k)[0]) == null ? end : k;
            }
            if (end < all.size() - 1) {
                runs.add(stages.name(all.get(i)[0], all.get(end)[0]));
            }
            i = end + 1;
        }
        return new Candidate(SEGMENTS, 0, runs, reentrant);
    }

    private Candidate blocks(Boolean reentrant) {
        List<String> blocks = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            if (isBlock(i)) {
                blocks.add(stages.name(i, i));
            }
        }
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
