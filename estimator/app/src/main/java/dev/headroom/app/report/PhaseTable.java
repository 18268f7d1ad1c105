package dev.headroom.app.report;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Allocated MiB at the end of every phase, a row a step, with the maxima so far. */
final class PhaseTable {
    private static final int STEP = 7;
    private static final int NUMBER = 10;
    private static final int MAXIMUM = 11;
    private static final int MOST_STEPS = 4;

    private PhaseTable() {}

    /** A heading, a row for what comes before the first step, and one a step; middle steps go when there are many. */
    static List<String> lines(Prediction p, Style style) {
        Map<Integer, Map<Phase, PhaseMemory>> steps = new TreeMap<>();
        Set<Phase> names = new LinkedHashSet<>();
        List<PhaseMemory> before = new ArrayList<>();
        for (PhaseMemory phase : p.phases()) {
            if (phase.step() == null) {
                before.add(phase);
            } else {
                names.add(phase.phase());
                // The parts of an accumulated step overwrite each other: the last one stays.
                steps.computeIfAbsent(phase.step(), step -> new LinkedHashMap<>())
                        .put(phase.phase(), phase);
            }
        }
        if (p.oom() != null && p.oom().step() != null) {
            names.add(p.oom().phase());
            steps.computeIfAbsent(p.oom().step(), step -> new LinkedHashMap<>());
        }
        List<String> lines = new ArrayList<>();
        lines.add(heading(names, style));
        if (!before.isEmpty()) {
            lines.add(loading(before));
        }
        int row = 0;
        for (Map.Entry<Integer, Map<Phase, PhaseMemory>> step : steps.entrySet()) {
            boolean dropped = steps.size() > MOST_STEPS && row >= MOST_STEPS - 2 && row < steps.size() - 1;
            if (!dropped) {
                lines.add(row(p, step.getKey(), names, step.getValue()));
            } else if (row == MOST_STEPS - 2) {
                lines.add("...");
            }
            row++;
        }
        return lines;
    }

    private static String heading(Set<Phase> names, Style style) {
        StringBuilder line = new StringBuilder(Columns.left("MiB", STEP));
        names.forEach(name -> line.append(Columns.right(name.label(), width(name))));
        line.append(Columns.right("max alloc", MAXIMUM)).append(Columns.right("max resv", MAXIMUM));
        return style.strong(line.toString());
    }

    private static int width(Phase name) {
        return Math.max(NUMBER, name.label().length() + 1);
    }

    private static String loading(List<PhaseMemory> before) {
        List<String> parts = new ArrayList<>();
        before.forEach(phase -> parts.add(phase.phase() + " " + Mib.number(phase.allocated())));
        return Columns.left("load", STEP) + " " + String.join(", ", parts);
    }

    private static String row(Prediction p, int step, Set<Phase> names, Map<Phase, PhaseMemory> phases) {
        StringBuilder line = new StringBuilder(Columns.left("step " + step, STEP));
        PhaseMemory last = null;
        for (Phase name : names) {
            PhaseMemory phase = phases.get(name);
            boolean failed = p.oom() != null
                    && p.oom().phase() == name
                    && Integer.valueOf(step).equals(p.oom().step());
            last = phase == null ? last : phase;
            String cell = failed ? "OOM" : phase == null ? "-" : Mib.number(phase.allocated());
            line.append(Columns.right(cell, width(name)));
        }
        if (last != null) {
            line.append(Columns.right(Mib.number(last.maxAllocated()), MAXIMUM));
            line.append(Columns.right(Mib.number(last.maxReserved()), MAXIMUM));
        }
        return line.toString();
    }
}
