package dev.headroom.validation.runs;

import dev.headroom.allocator.Bytes;
import dev.headroom.validation.published.Figure;
import dev.headroom.validation.scores.Peak;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The figures of a published system: each is an outcome of its own, with one peak. Where only a lower bound is
 * predicted, it has none as long as the bound holds.
 */
final class PublishedFigures implements MeasuredRuns {

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
        Peak peak = new Peak(
                figure.quantity(),
                Math.round(figure.predicted() * Bytes.MIB),
                Math.round(figure.published() * Bytes.MIB));
        return new Outcome(
                source(),
                figure.system() + " " + figure.what(),
                "",
                "",
                figure.kept() ? List.of() : List.of(peak),
                null,
                null,
                List.of(),
                figure.mechanism(),
                Map.of());
    }
}
