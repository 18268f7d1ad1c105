package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.parallel.pipeline.Messages.Op;
import dev.headroom.executor.parallel.pipeline.Messages.Work;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What a rank with one stage does in a step (schedules.py, ScheduleGPipe and Schedule1F1B, _step_microbatches). */
final class SingleStageSchedules {
    private static final String OPS = "ops";
    private static final String OUTPUT = "output";
    private static final String FORWARD_SENDS = "fwd_sends";
    private static final String BACKWARD_SENDS = "bwd_sends";
    private static final String SEND_WORK = "send_work";

    private final Eager eager;
    private final Messages messages;
    private final StepLoop loop;
    private final Stage stage;
    private final int microbatches;
    private final int stages;

    SingleStageSchedules(Eager eager, Messages messages, StepLoop loop, Stage stage, int microbatches, int stages) {
        this.eager = eager;
        this.messages = messages;
        this.loop = loop;
        this.stage = stage;
        this.microbatches = microbatches;
        this.stages = stages;
    }

    /** All forward, then all backward. */
    void gpipe() {
        try (Locals v = new Locals(eager, messages)) {
            List<Work> sends = new ArrayList<>();
            for (int i = 0; i < microbatches; i++) {
                exchange(v.bind(OPS, stage.forwardReceives(i)));
                Tensor output = v.bind(OUTPUT, loop.forward(stage, i));
                sends.addAll(messages.batch(v.bind(OPS, stage.forwardSends(i))));
                loop.loss(stage, output, i);
            }
            v.bindWorks(FORWARD_SENDS, sends);
            messages.await(sends);
            List<Work> back = new ArrayList<>();
            for (int i = 0; i < microbatches; i++) {
                exchange(v.bind(OPS, stage.backwardReceives(i)));
                loop.backward(stage, i);
                back.addAll(messages.batch(v.bind(OPS, stage.backwardSends(i))));
            }
            v.bindWorks(BACKWARD_SENDS, back);
            messages.await(back);
            loop.reduce(stage);
        }
    }

    /** Asks and waits, and keeps nothing. */
    private void exchange(List<Op> ops) {
        List<Work> works = messages.batch(ops);
        messages.await(works);
        messages.forget(works);
    }

    private void exchangeTogether(List<Op> first, List<Op> then) {
        List<Op> both = new ArrayList<>(first);
        both.addAll(then);
        exchange(both);
    }

    /** As many forward as there are stages behind, then one backward and one forward in turns, then the rest. */
    void oneForwardOneBackward() {
        int forward = 0;
        int backward = 0;
        try (Locals v = new Locals(eager, messages)) {
            List<Op> sends = List.of();
            int warmUp = Math.min(microbatches, stages - stage.index());
            while (forward < warmUp) {
                exchange(v.bind("fwd_recvs", stage.forwardReceives(forward)));
                Tensor output = v.bind(OUTPUT, loop.forward(stage, forward));
                messages.await(v.works(SEND_WORK));
                sends = v.bind(FORWARD_SENDS, stage.forwardSends(forward));
                if (forward != warmUp - 1) {
                    v.bindWorks(SEND_WORK, messages.batch(sends));
                }
                loop.loss(stage, output, forward);
                forward++;
            }
            while (true) {
                exchangeTogether(sends, v.bind("bwd_recvs", stage.backwardReceives(backward)));
                loop.backward(stage, backward);
                List<Op> back = v.bind(BACKWARD_SENDS, stage.backwardSends(backward));
                backward++;
                if (forward == microbatches) {
                    v.bindWorks(SEND_WORK, messages.batch(back));
                    break;
                }
                exchangeTogether(back, v.bind("fwd_recvs", stage.forwardReceives(forward)));
                Tensor output = v.bind(OUTPUT, loop.forward(stage, forward));
                loop.loss(stage, output, forward);
                sends = v.bind(FORWARD_SENDS, stage.forwardSends(forward));
                forward++;
            }
            while (backward < microbatches) {
                exchange(v.bind("bwd_recvs", stage.backwardReceives(backward)));
                loop.backward(stage, backward);
                messages.await(v.works(SEND_WORK));
                v.bindWorks(SEND_WORK, messages.batch(v.bind(BACKWARD_SENDS, stage.backwardSends(backward))));
                backward++;
            }
            messages.await(v.works(SEND_WORK));
            loop.reduce(stage);
        }
    }
}
