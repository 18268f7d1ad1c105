package dev.headroom.estimator.predict;

import dev.headroom.allocator.snapshot.Frame;
import dev.headroom.allocator.snapshot.Snapshot;
import dev.headroom.allocator.snapshot.SnapshotRecorder;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prediction and the run behind it as a memory snapshot of PyTorch, with all of its history. The frames of an event
 * are, innermost first, the operator, the module path and the phase; what each is stands where a file name would.
 *
 * @param snapshot as at the end of the run, or where memory ran out
 */
public record RecordedPrediction(Prediction prediction, Snapshot snapshot) {
    /**
     * Plays the run and records it.
     *
     * @throws dev.headroom.model.error.UserInputException for impossible input, with a message for the user
     */
    public static RecordedPrediction of(PredictionRequest request) {
        if (Ranks.areAsked(request)) {
            Ranks ranks = Ranks.of(request);
            RecordedPrediction worst = of(ranks.ofWorst(request));
            return new RecordedPrediction(ranks.tell(worst.prediction()), worst.snapshot());
        }
        SnapshotRecorder[] recorder = new SnapshotRecorder[1];
        Simulation run = Predictor.simulate(request, (allocator, place) -> {
            Stack stack = new Stack(place);
            recorder[0] = new SnapshotRecorder(allocator, Integer.MAX_VALUE, stack::frames);
        });
        Snapshot snapshot = recorder[0].snapshot();
        return new RecordedPrediction(Predictor.read(request, run), snapshot);
    }

    /** Where a run has come to, as a stack; the same list as long as it stays there. */
    private static final class Stack {
        private final RunWatcher.Place place;
        private @Nullable Attribution running;
        private Moment moment = Moment.of(Phase.MODEL);
        private List<Frame> frames = List.of();

        Stack(RunWatcher.Place place) {
            this.place = place;
        }

        @SuppressWarnings("ReferenceEquality") // numbers of the same object: an attribution is made once
        List<Frame> frames() {
            if (running != place.running() || !moment.equals(place.moment().inStep())) {
                moment = place.moment().inStep();
                frames = stack(place.running());
                running = place.running();
            }
            return frames;
        }

        private List<Frame> stack(Attribution who) {
            List<Frame> stack = new ArrayList<>();
            add(stack, who.node(), who.operator().equals(ModelTensors.PARAMETER) ? "tensor" : "autograd node");
            // The loop's own work is attributed to the phase itself.
            add(stack, who.operator().equals(moment.phase().label()) ? "" : who.operator(), "operator");
            add(stack, who.module(), "module");
            add(stack, moment.words(), "phase");
            return List.copyOf(stack);
        }

        private static void add(List<Frame> stack, String name, String kind) {
            if (!name.isEmpty()) {
                stack.add(new Frame(name, kind, 0));
            }
        }
    }
}
