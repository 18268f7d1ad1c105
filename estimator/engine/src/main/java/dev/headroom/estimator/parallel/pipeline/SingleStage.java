package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.parallel.pipeline.Peers.Op;
import dev.headroom.estimator.parallel.pipeline.Peers.Work;
import dev.headroom.estimator.runtime.EagerRuntime;
import java.util.ArrayList;
import java.util.List;

/** Schedules of one stage a rank (torch/distributed/pipelining/schedules.py, ScheduleGPipe and Schedule1F1B). */
final class SingleStage {
    private final EagerRuntime runtime;
    private final Peers peers;
    private final Stage stage;
    private final int stages;
    private final int microbatches;

    SingleStage(EagerRuntime runtime, Peers peers, Stage stage, int stages, int microbatches) {
        this.runtime = runtime;
        this.peers = peers;
        this.stage = stage;
        this.stages = stages;
        this.microbatches = microbatches;
    }

    private List<Op> forwardReceives(int microbatch) {
        return stage.isFirst()
                ? List.of()
                : List.of(peers.receive(stage.buffers().input(microbatch), stage.index() - 1));
    }

    private List<Op> backwardReceives(int microbatch) {
        return stage.isLast()
                ? List.of()
                : List.of(peers.receive(stage.buffers().gradient(microbatch), stage.index() + 1));
    }

    /** All forward passes, then all backward passes; what was sent is kept to the end. */
    void gpipe(Step step) {
        Variables v = new Variables(runtime, peers);
        for (int m = 0; m < microbatches; m++) {
            v.nowAndDrop(forwardReceives(m));
            v.bindOutput(step.forward(stage, m));
            v.keep(peers.batch(v.bindForwardSends(stage, m, stage.index() + 1)));
            step.lossOf(stage, stage.output(m), m);
        }
        peers.waitFor(v.kept());
        List<Work> sends = new ArrayList<>();
        for (int m = 0; m < microbatches; m++) {
            v.nowAndDrop(backwardReceives(m));
            step.backward(stage, m, m == microbatches - 1);
            sends.addAll(peers.batch(v.bindBackwardSends(stage, m, stage.index() - 1)));
        }
        peers.waitFor(sends);
        stage.reduceGradients();
        peers.forget(sends);
        v.end();
    }

    /** As many forward passes as there are stages behind; then one backward for each forward pass. */
    void oneForwardOneBackward(Step step) {
        Variables v = new Variables(runtime, peers);
        int warmup = Math.min(microbatches, stages - stage.index());
        int forward = 0;
        int backward = 0;
        for (; forward < warmup; forward++) {
            v.nowAndDrop(forwardReceives(forward));
            v.bindOutput(step.forward(stage, forward));
            peers.waitFor(v.sendWork());
            List<Op> sends = v.bindForwardSends(stage, forward, stage.index() + 1);
            if (forward != warmup - 1) {
                v.bindSendWork(peers.batch(sends));
            }
            step.lossOf(stage, stage.output(forward), forward);
        }
        while (true) {
            fused(v, v.forwardSends(), backwardReceives(backward));
            step.backward(stage, backward, backward == microbatches - 1);
            v.bindBackwardSends(stage, backward++, stage.index() - 1);
            if (forward == microbatches) {
                break;
            }
            fused(v, v.backwardSends(), forwardReceives(forward));
            v.bindOutput(step.forward(stage, forward));
            step.lossOf(stage, stage.output(forward), forward);
            v.bindForwardSends(stage, forward++, stage.index() + 1);
        }
        v.bindSendWork(peers.batch(v.backwardSends()));
        while (backward < microbatches) {
            v.nowAndDrop(backwardReceives(backward));
            step.backward(stage, backward, backward == microbatches - 1);
            peers.waitFor(v.sendWork());
            v.bindSendWork(peers.batch(v.bindBackwardSends(stage, backward++, stage.index() - 1)));
        }
        peers.waitFor(v.sendWork());
        stage.reduceGradients();
        v.end();
    }

    private void fused(Variables v, List<Op> sends, List<Op> receives) {
        List<Op> ops = new ArrayList<>(sends);
        ops.addAll(receives);
        v.now(ops);
        peers.drop(receives);
    }
}
