package dev.headroom.validation;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.run.PhaseMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A prediction beside what the real PyTorch did, phase by phase.
 *
 * @param rows the phases that both have, in order
 * @param structure "" when both went through the same phases, else what differs
 */
public record Comparison(List<Row> rows, String structure) {
    /**
     * One phase: recorded figures and predicted ones, in bytes.
     */
    public record Row(Recording.Phase recorded, PhaseMemory predicted) {
        /** Whether {@code allocated} and {@code max_allocated} are equal to the byte. */
        public boolean exact() {
            return recorded.allocated() == predicted.allocated() && recorded.maxAllocated() == predicted.maxAllocated();
        }

        /** Whether it is {@link #exact} and {@code max_reserved} is equal too. */
        public boolean equal() {
            return exact() && recorded.maxReserved() == predicted.maxReserved();
        }

        /** The larger relative error of {@code allocated} and {@code max_allocated}. */
        public double allocatedError() {
            return Math.max(
                    error(predicted.allocated(), recorded.allocated()),
                    error(predicted.maxAllocated(), recorded.maxAllocated()));
        }

        /** The relative error of {@code max_reserved}. */
        public double reservedError() {
            return error(predicted.maxReserved(), recorded.maxReserved());
        }

        /** Predicted minus recorded: {@code backward 1: allocated +512, max_allocated 0, max_reserved -2097152}. */
        public String difference() {
            return String.format(
                    Locale.ROOT,
                    "%s: allocated %+d, max_allocated %+d, reserved %+d, max_reserved %+d",
                    recorded.label(),
                    predicted.allocated() - recorded.allocated(),
                    predicted.maxAllocated() - recorded.maxAllocated(),
                    predicted.reserved() - recorded.reserved(),
                    predicted.maxReserved() - recorded.maxReserved());
        }

        private static double error(long predicted, long recorded) {
            return recorded == 0 ? (predicted == 0 ? 0 : 1) : Math.abs(predicted - recorded) / (double) recorded;
        }
    }

    /** Lines both up. */
    public static Comparison of(Recording recording, Prediction prediction) {
        List<Row> rows = new ArrayList<>();
        List<Recording.Phase> recorded = recording.phases();
        List<PhaseMemory> predicted = prediction.phases();
        int common = Math.min(recorded.size(), predicted.size());
        String structure = "";
        for (int i = 0; i < common && structure.isEmpty(); i++) {
            if (same(recorded.get(i), predicted.get(i))) {
                rows.add(new Row(recorded.get(i), predicted.get(i)));
            } else {
                structure = "phase " + i + " is " + recorded.get(i).label() + " in the recording, "
                        + predicted.get(i).moment().label() + " in the prediction";
            }
        }
        if (structure.isEmpty()) {
            structure = endings(recording, prediction);
        }
        return new Comparison(List.copyOf(rows), structure);
    }

    /** Share of phases that are {@link Row#exact}, of all recorded ones that could be compared. */
    public double exactShare() {
        return rows.isEmpty() ? 0 : rows.stream().filter(Row::exact).count() / (double) rows.size();
    }

    /** The worst {@link Row#allocatedError}. */
    public double worstAllocated() {
        return rows.stream().mapToDouble(Row::allocatedError).max().orElse(1);
    }

    /** The worst {@link Row#reservedError}. */
    public double worstReserved() {
        return rows.stream().mapToDouble(Row::reservedError).max().orElse(1);
    }

    /** The first of the {@link #differences}, or "". */
    public String firstDivergence() {
        return different().findFirst().map(Row::difference).orElse("");
    }

    /** A line for each phase that is not exact or reserves otherwise, or "". */
    public String differences() {
        return different().map(Row::difference).collect(Collectors.joining("\n"));
    }

    private Stream<Row> different() {
        return rows.stream().filter(row -> !row.equal());
    }

    private static String endings(Recording recording, Prediction prediction) {
        String recorded = recording.oom().path("during").asText("");
        String predicted =
                prediction.oom() == null ? "" : prediction.oom().moment().words();
        if (!recorded.equals(predicted)) {
            return "out of memory in " + (recorded.isEmpty() ? "no phase" : recorded) + " in the recording, "
                    + (predicted.isEmpty() ? "no phase" : predicted) + " in the prediction";
        }
        int difference = prediction.phases().size() - recording.phases().size();
        return difference == 0 ? "" : Math.abs(difference) + (difference > 0 ? " phases too many" : " phases missing");
    }

    private static boolean same(Recording.Phase a, PhaseMemory b) {
        return a.phase().equals(b.phase().label())
                && Objects.equals(a.step(), b.step())
                && Objects.equals(a.micro(), b.micro());
    }
}
