package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.parallel.pipeline.Messages.Op;
import dev.headroom.executor.parallel.pipeline.Messages.Work;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a rank with several stages does in a step (schedules.py, _PipelineScheduleRuntime, _step_microbatches). */
final class SeveralStagesSchedule {
    private final Eager eager;
    private final Messages messages;
    private final StepLoop loop;
    private final Map<Integer, Stage> stages = new HashMap<>();
    private final Deque<List<Work>> sends = new ArrayDeque<>();
    private final Map<Action, List<Work>> received = new HashMap<>();

    SeveralStagesSchedule(Eager eager, Messages messages, StepLoop loop, List<Stage> stages) {
        this.eager = eager;
        this.messages = messages;
        this.loop = loop;
        stages.forEach(s -> this.stages.put(s.index(), s));
    }

    void run(List<Action> actions) {
        actions.forEach(this::perform);
        while (!sends.isEmpty()) {
            List<Work> works = sends.pop();
            messages.await(works);
            messages.forget(works);
        }
    }

    private void perform(Action a) {
        Stage stage = Objects.requireNonNull(stages.get(a.stage()), "a stage");
        switch (a.kind()) {
            case SEND_FORWARD -> sends.push(asked(stage.forwardSends(a.microbatch())));
            case SEND_BACKWARD -> sends.push(asked(stage.backwardSends(a.microbatch())));
            case RECEIVE_FORWARD -> received.put(a, asked(stage.forwardReceives(a.microbatch())));
            case RECEIVE_BACKWARD -> received.put(a, asked(stage.backwardReceives(a.microbatch())));
            case FORWARD -> forward(stage, a.microbatch());
            case BACKWARD -> backward(stage, a.microbatch());
            case REDUCE -> loop.reduce(stage);
            default -> {} // nothing is sharded
        }
    }

    private List<Work> asked(List<Op> ops) {
        List<Work> works = messages.batch(ops);
        ops.forEach(op -> eager.release(op.tensor()));
        return works;
    }

    private void arrived(Action receive) {
        List<Work> works = received.remove(receive);
        if (works != null) {
            messages.await(works);
            messages.forget(works);
        }
    }

    private void forward(Stage stage, int microbatch) {
        arrived(new Action(stage.index(), Action.Kind.RECEIVE_FORWARD, microbatch));
        Tensor output = loop.forward(stage, microbatch);
        try {
            loop.loss(stage, output, microbatch);
            Stage next = stages.get(stage.index() + 1);
            if (next != null) {
                next.takeInput(microbatch, output);
            }
        } finally {
            eager.release(output);
        }
    }

    private void backward(Stage stage, int microbatch) {
        arrived(new Action(stage.index(), Action.Kind.RECEIVE_BACKWARD, microbatch));
        loop.backward(stage, microbatch);
        Stage previous = stages.get(stage.index() - 1);
        if (previous != null) {
            previous.takeGradient(microbatch, stage.takeInputGradient(microbatch));
        }
    }
}
