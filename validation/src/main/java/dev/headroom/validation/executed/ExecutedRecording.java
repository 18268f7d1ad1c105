package dev.headroom.validation.executed;

import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.executor.measure.MeasurementRequest;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.executor.program.Program;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.validation.RecordedRun;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A recorded run, run again by the executor, over memory that holds nothing unless another backend is named.
 *
 * @param lacking operators that it does not have, by name without overload
 * @param refusal why it did not run, or ""
 * @param difference the first phase that took other memory than PyTorch's, or ""
 */
public record ExecutedRecording(String name, Set<String> lacking, String refusal, String difference) {
    /** Whether it ran to the end of the recorded phases. */
    public boolean ran() {
        return refusal.isEmpty();
    }

    /** Whether every phase took PyTorch's memory to the byte. */
    public boolean equal() {
        return ran() && difference.isEmpty();
    }

    /** Runs a recording's question about a graph. */
    public static ExecutedRecording of(String name, Recording recording, Graph graph) {
        Set<String> lacking = Program.lacking(Program.inlined(graph));
        if (!lacking.isEmpty()) {
            return new ExecutedRecording(name, lacking, "lacks " + String.join(", ", lacking), "");
        }
        try {
            return new ExecutedRecording(name, lacking, "", difference(recording, graph));
        } catch (UserInputException e) {
            return new ExecutedRecording(name, lacking, Objects.toString(e.getMessage()), "");
        } catch (RuntimeException e) {
            StackTraceElement[] at = e.getStackTrace();
            return new ExecutedRecording(name, lacking, "", e + (at.length > 0 ? " at " + at[0] : ""));
        }
    }

    private static String difference(Recording recording, Graph graph) {
        DeviceBudget device = new RecordedRun(recording).request(graph).device();
        try (Backend backend = NoKernels.over(new SimulatedDeviceMemory(
                Objects.requireNonNull(device.total()), device.inUse(), device.placement()))) {
            return difference(recording, graph, backend);
        }
    }

    /** The first phase that takes other memory than PyTorch's when a backend runs it, or "". */
    public static String difference(Recording recording, Graph graph, Backend backend) {
        PredictionRequest question = new RecordedRun(recording).request(graph);
        Measurement m = Measurer.measure(new MeasurementRequest(graph, question.scenario(), 1, false), backend);
        return difference(recording.phases(), m.phases());
    }

    private static String difference(List<Recording.Phase> recorded, List<PhaseMemory> measured) {
        for (int i = 0; i < recorded.size(); i++) {
            Recording.Phase want = recorded.get(i);
            if (i >= measured.size()) {
                return "ends before " + want.label();
            }
            PhaseMemory got = measured.get(i);
            if (!want.label().equals(got.moment().label())
                    || want.allocated() != got.allocated()
                    || want.maxAllocated() != got.maxAllocated()
                    || want.maxReserved() != got.maxReserved()) {
                return String.format(
                        "%s: allocated %+d, max_allocated %+d, max_reserved %+d",
                        want.label(),
                        got.allocated() - want.allocated(),
                        got.maxAllocated() - want.maxAllocated(),
                        got.maxReserved() - want.maxReserved());
            }
        }
        return "";
    }
}
