package dev.headroom.app.sweep;

import dev.headroom.app.option.BadOption;
import dev.headroom.model.error.Suggestion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which two options a heat map is drawn over. */
final class HeatMapAxes {
    private static final List<String> USUAL = List.of("batch", "seq");

    private HeatMapAxes() {}

    /**
     * The asked ones; else batch and sequence, as far as they vary, and other options that do.
     *
     * @throws BadOption when there are not two
     */
    static List<String> of(Scenarios scenarios, List<String> asked) {
        List<String> whole =
                scenarios.columns().stream().filter(scenarios::isWhole).toList();
        if (!asked.isEmpty()) {
            for (String axis : asked) {
                if (!whole.contains(axis)) {
                    throw new BadOption(
                            "--axes: '" + axis + "' is no option with whole numbers here" + Suggestion.of(axis, whole));
                }
            }
            if (asked.size() != 2 || asked.get(0).equals(asked.get(1))) {
                throw new BadOption("--axes takes two options, such as batch,seq");
            }
            return asked;
        }
        List<String> varying = new ArrayList<>(
                whole.stream().filter(column -> varies(scenarios, column)).toList());
        varying.sort(Collections.reverseOrder((a, b) -> Boolean.compare(USUAL.contains(a), USUAL.contains(b))));
        if (varying.size() < 2) {
            throw new BadOption("--heatmap needs two options with several whole numbers, such as batch and seq; here "
                    + (varying.isEmpty() ? "none has" : "only " + varying.get(0) + " has"));
        }
        return List.copyOf(varying.subList(0, 2));
    }

    /** Whether rows differ in an option. */
    static boolean varies(Scenarios scenarios, String column) {
        Set<List<String>> seen = new HashSet<>();
        for (int i = 0; i < scenarios.size(); i++) {
            if (seen.add(scenarios.row(i).getOrDefault(column, List.of())) && seen.size() > 1) {
                return true;
            }
        }
        return false;
    }
}
