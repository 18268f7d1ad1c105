package dev.headroom.app.measure;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A prediction beside the measurement of the same run.
 *
 * @param phases in order; one side is {@code null} where only the other came so far
 */
public record Comparison(Prediction predicted, Measurement measured, List<Phase> phases) {
    /** One phase as predicted and as measured, {@code null} where one of them did not come to it; never both. */
    public record Phase(
            @Nullable PhaseMemory predicted, @Nullable PhaseMemory measured) {
        /** Whether all four figures are the same. */
        public boolean equal() {
            return predicted != null && predicted.equals(measured);
        }

        /** Measured minus predicted bytes of a kind, {@code null} where one of them is not there. */
        public @Nullable Long difference(ToLongFunction<PhaseMemory> kind) {
            return predicted == null || measured == null
                    ? null
                    : (Long) (kind.applyAsLong(measured) - kind.applyAsLong(predicted));
        }

        /** Which phase it is. */
        public Moment moment() {
            return Objects.requireNonNull(measured == null ? predicted : measured, "a phase")
                    .moment();
        }

        /** {@code forward of step 1}. */
        public String title() {
            Integer micro = moment().micro();
            return moment().words() + (micro == null ? "" : " (part " + micro + ")");
        }
    }

    /** Puts the phases side by side. */
    public static Comparison of(Prediction predicted, Measurement measured) {
        List<Phase> phases = new ArrayList<>();
        int n = Math.max(predicted.phases().size(), measured.phases().size());
        for (int i = 0; i < n; i++) {
            phases.add(new Phase(
                    i < predicted.phases().size() ? predicted.phases().get(i) : null,
                    i < measured.phases().size() ? measured.phases().get(i) : null));
        }
        return new Comparison(predicted, measured, phases);
    }

    /** Measured minus predicted peak of allocated bytes. */
    public long allocated() {
        return measured.peak().allocated() - predicted.peak().allocated();
    }

    /** Measured minus predicted peak of reserved bytes. */
    public long reserved() {
        return measured.peak().reserved() - predicted.peak().reserved();
    }

    /** Whether both ran out of memory in the same phase over the same request, or neither did. */
    public boolean sameEnd() {
        OutOfMemory p = predicted.oom();
        OutOfMemory m = measured.oom();
        if (p == null || m == null) {
            return p == null && m == null;
        }
        return p.moment().equals(m.moment()) && p.requested() == m.requested();
    }

    /** The phases that differ. */
    public List<Phase> different() {
        return phases.stream().filter(p -> !p.equal()).toList();
    }

    /** Whether every figure is the same. */
    public boolean equal() {
        return different().isEmpty() && allocated() == 0 && reserved() == 0 && sameEnd();
    }
}
