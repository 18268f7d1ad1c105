package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.parallel.pipeline.Peers.Op;
import dev.headroom.estimator.parallel.pipeline.Peers.Work;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A schedule of several stages a rank, action by action (torch/distributed/pipelining/schedules.py,
 * _PipelineScheduleRuntime). Works of what was sent are kept to the end of the step, and with them what was sent;
 * neighbours on one rank hand tensors over.
 */
final class SeveralStages implements Schedule {
    private final EagerRuntime runtime;
    private final Peers peers;
    private final StagePlan plan;
    private final List<Action> actions;
    private final Map<Integer, Stage> stages = new HashMap<>();

    /** Stages whose parameters were asked for. */
    private final Set<Integer> fetched = new HashSet<>();

    /** By stage: backward passes of a step that are not through. */
    private final Map<Integer, Integer> left = new HashMap<>();

    private final int microbatches;

    SeveralStages(
            EagerRuntime runtime,
            Peers peers,
            StagePlan plan,
            List<Stage> own,
            List<Action> actions,
            int microbatches) {
        this.microbatches = microbatches;
        this.runtime = runtime;
        this.peers = peers;
        this.plan = plan;
        this.actions = actions;
        own.forEach(s -> stages.put(s.index(), s));
    }

    @Override
    public void run(Step step) {
        List<List<Work>> sends = new ArrayList<>();
        stages.keySet().forEach(s -> left.put(s, microbatches));
        actions.forEach(action -> action.parts().forEach(a -> perform(step, a, sends)));
        for (int k = sends.size() - 1; k >= 0; k--) {
            peers.waitFor(sends.get(k));
            peers.forget(sends.get(k));
        }
    }

    private void perform(Step step, Action a, List<List<Work>> sends) {
        Stage stage = Objects.requireNonNull(stages.get(a.stage()), "a stage of another rank");
        int m = a.microbatch();
        if (a.computes() && fetched.remove(a.stage())) {
            stage.waitForUnshard();
        }
        switch (a.kind()) {
            case FORWARD -> {
                Tensor output = runtime.hold(step.forward(stage, m));
                step.lossOf(stage, output, m);
                Stage next = stages.get(a.stage() + 1);
                if (next != null) {
                    next.buffers().setInput(m, output);
                }
                runtime.release(output);
            }
            case FULL_BACKWARD -> {
                step.backward(stage, m, left.merge(a.stage(), -1, Integer::sum) == 0);
                handOver(stage, m);
            }
            case BACKWARD_INPUT -> {
                step.backwardInput(stage, m);
                handOver(stage, m);
            }
            case BACKWARD_WEIGHT -> step.backwardWeight(stage, m, left.merge(a.stage(), -1, Integer::sum) == 0);
            case SEND_F -> {
                try (Frame frame = runtime.frame()) {
                    sends.add(fire(peers.send(stage.sentOutput(m), plan.rankOf(a.stage() + 1))));
                }
            }
            case SEND_B -> {
                Tensor gradient = stage.takeInputGradient(m);
                sends.add(fire(peers.send(gradient, plan.rankOf(a.stage() - 1))));
                runtime.release(gradient);
            }
            case RECV_F -> receive(stage.buffers().input(m), plan.rankOf(a.stage() - 1));
            case RECV_B -> receive(stage.buffers().gradient(m), plan.rankOf(a.stage() + 1));
            case UNSHARD -> {
                stage.unshard();
                fetched.add(a.stage());
            }
            case RESHARD -> stage.reshard();
            case REDUCE_GRAD -> stage.reduceGradients();
            default -> throw new IllegalStateException("no single action: " + a);
        }
    }

    private List<Work> fire(Op op) {
        List<Work> works = peers.batch(List.of(op));
        peers.drop(List.of(op));
        return works;
    }

    private void receive(Tensor buffer, int peer) {
        List<Work> works = fire(peers.receive(buffer, peer));
        peers.waitFor(works);
        peers.forget(works);
    }

    private void handOver(Stage stage, int microbatch) {
        Stage before = stages.get(stage.index() - 1);
        if (before != null) {
            before.buffers().setGradient(microbatch, stage.takeInputGradient(microbatch));
        }
    }
}
