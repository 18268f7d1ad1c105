package dev.headroom.advisor.checkpoints;

import dev.headroom.advisor.variants.Outcome;
import dev.headroom.estimator.flops.GraphFlops;
import dev.headroom.model.checkpoint.Region;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Learns the costs of a model's stages from two plays: one that stores all, and one that checkpoints every stage. */
final class CostSurvey {
    private final Rehearsal rehearsal;
    private final Stages stages;
    private final Graph graph;
    private final boolean[][] allowed;

    /**
     * Latest node before which a checkpoint must begin that holds a stage, because it changes that node's result in
     * place.
     */
    private final int[] changes;

    private long @Nullable [][] again;

    CostSurvey(Rehearsal rehearsal, Stages stages) {
        this.rehearsal = rehearsal;
        this.stages = stages;
        this.graph = rehearsal.storeAll().prepared().plan().graph();
        this.changes = new int[stages.size()];
        this.allowed = new boolean[stages.size()][stages.size()];
        readChanges();
        allow();
    }

    /** Autograd refuses changes of a checkpoint's inputs ({@link Region#refuseChangedInputs}). */
    private void readChanges() {
        Map<String, Integer> madeBy = new HashMap<>();
        Arrays.fill(changes, Integer.MAX_VALUE);
        for (int s = 0; s < stages.size(); s++) {
            for (int i = stages.all().get(s).from(); i < stages.all().get(s).to(); i++) {
                Node node = graph.nodes().get(i);
                if (Region.changesInPlace(node)) {
                    int made = madeBy.getOrDefault(node.reads().get(0), Integer.MAX_VALUE);
                    changes[s] = Math.min(changes[s], made);
                }
                for (String out : node.outputs()) {
                    madeBy.put(out, i);
                }
            }
        }
    }

    private void allow() {
        for (int i = 0; i < stages.size(); i++) {
            int first = stages.all().get(i).from();
            int earliest = Integer.MAX_VALUE;
            for (int j = i; j < stages.size(); j++) {
                earliest = Math.min(earliest, changes[j]);
                allowed[i][j] = stages.name(i, j) != null && earliest >= first;
            }
        }
    }

    boolean[][] allowed() {
        return allowed;
    }

    /**
     * The costs.
     *
     * @param sure whether only such bytes count that a plan is sure to need
     */
    StageCosts costs(PassLog log, boolean reentrant, boolean sure) {
        again = again == null ? again(reentrant) : again;
        return new CostReader(log, stages.size()).costs(again, allowed, reentrant, sure);
    }

    /** What checkpoints in checkpoints cost; {@code flat} are the likely costs of the same log. */
    NestedCosts nested(PassLog log, StageCosts flat, boolean reentrant) {
        return new CostReader(log, stages.size()).nested(flat, reentrant);
    }

    /**
     * FLOPs that a checkpoint recomputes. It stops as soon as it has all that was saved, so that its last stage is not
     * always made in full; how much of it is shows the play in which every stage is a checkpoint.
     */
    private long[][] again(boolean reentrant) {
        int n = stages.size();
        GraphFlops flops = rehearsal.flops();
        List<String> names = new ArrayList<>();
        for (int s = 0; s < n; s++) {
            if (allowed[s][s]) {
                names.add(stages.name(s, s));
            }
        }
        Outcome each = names.isEmpty()
                ? null
                : rehearsal
                        .simulate(new Candidate("every stage", 0, names, reentrant))
                        .orElse(null);
        List<Integer> runs = each == null ? null : each.executions();
        int passes = rehearsal.asked().loop().steps() * rehearsal.asked().loop().accumulate();
        int accumulate = rehearsal.asked().loop().accumulate();
        long[][] again = new long[n][n];
        for (int i = 0; i < n; i++) {
            long before = 0;
            for (int j = i; j < n; j++) {
                Stage s = stages.all().get(j);
                long whole = flops.forward(s.from(), s.to()).total() * accumulate;
                long last = whole;
                if (runs != null && allowed[j][j]) {
                    last = 0;
                    for (int node = s.from(); node < s.to(); node++) {
                        last += runs.get(node) > passes ? flops.forward(node).total() * accumulate : 0;
                    }
                }
                again[i][j] = before + last;
                before += whole;
            }
        }
        return again;
    }

    /**
     * Whether every module reads no more than what the one before it made, as far as gradients go. Modules that read
     * nothing with a gradient, such as embeddings, come before the chain.
     */
    boolean isChain() {
        Map<String, Integer> madeBy = new HashMap<>();
        int modules = 0;
        for (Stage s : stages.all()) {
            boolean passes = false;
            for (int i = s.from(); i < s.to(); i++) {
                Node node = graph.nodes().get(i);
                for (String read : node.reads()) {
                    if (madeBy.containsKey(read) && rehearsal.flops().isDifferentiable(read)) {
                        passes = true;
                        if (madeBy.get(read) < modules - 1) {
                            return false;
                        }
                    }
                }
                for (String out : node.outputs()) {
                    madeBy.put(out, modules);
                }
            }
            modules += s.isModule() && passes ? 1 : 0;
        }
        return true;
    }
}
