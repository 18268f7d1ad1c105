package dev.headroom.validation.runs;

import dev.headroom.validation.published.Figure;
import dev.headroom.validation.scores.Peak;
import dev.headroom.validation.scores.Quantity;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The figures of a published system: each is an outcome of its own, with one peak. Where only a lower bound is predicted, it
 * has none as long as the bound holds.
 */
final class PublishedFigures implements MeasuredRuns {
    private static final double MIB = 1 << 20;

    private final String system;
    private final Supplier<List<Figure>> figures;

    PublishedFigures(String system, Supplier<List<Figure>> figures) {
        this.system = system;
        this.figures = figures;
    }

    @Override
    public String source() {
        return "published";
    }

    @Override
    public String name() {
        return system;
    }

    @Override
    public List<Outcome> compare() {
        return figures.get().stream().map(this::outcome).toList();
    }

    private Outcome outcome(Figure figure) {
        Peak peak =
                new Peak(quantity(figure), Math.round(figure.predicted() * MIB), Math.round(figure.published() * MIB));
        boolean keptBound = figure.what().endsWith("at least") && peak.predicted() <= peak.measured();
        return new Outcome(
                source(),
                figure.system() + " " + figure.what(),
                "",
                "",
                keptBound ? List.of() : List.of(peak),
                null,
                null,
                List.of(),
                figure.mechanism(),
                Map.of());
    }

    /** Figures say in their last word what was read. */
    private static Quantity quantity(Figure figure) {
        if (figure.what().endsWith("nvidia-smi")) {
            return Quantity.DEVICE;
        }
        return figure.what().endsWith("reserved") || figure.system().equals("P8")
                ? Quantity.RESERVED
                : Quantity.ALLOCATED;
    }
}
