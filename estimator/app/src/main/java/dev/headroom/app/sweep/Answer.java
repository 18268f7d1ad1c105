package dev.headroom.app.sweep;

import dev.headroom.app.sweep.Column.Kind;
import dev.headroom.app.words.Door;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.predict.Prediction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a row says of a prediction: the same number as the JSON of {@code predict} has; bytes.
 *
 * @param column where it stands
 * @param of the prediction; {@code null} where nothing is known
 */
record Answer(Column column, Function<Prediction, @Nullable Object> of) {
    static final List<Answer> ALL = all();

    private static List<Answer> all() {
        List<Answer> all = new ArrayList<>(List.of(
                of("fits", Kind.TRUTH, p -> p.verdict().fits()),
                of("headroom", Kind.WHOLE, p -> p.verdict().headroom()),
                of("probability_oom", Kind.REAL, p -> p.verdict().probabilityOom()),
                of("minimum_memory", Kind.WHOLE, p -> p.verdict().minimumMemory()),
                of("peak_allocated", Kind.WHOLE, p -> p.peak().allocated()),
                of("peak_reserved", Kind.WHOLE, p -> p.peak().reserved()),
                of("peak_device", Kind.WHOLE, p -> p.peak().device()),
                of("interval_low", Kind.WHOLE, p -> p.certainty().interval().low()),
                of("interval_high", Kind.WHOLE, p -> p.certainty().interval().high())));
        for (Category category : Category.values()) {
            all.add(of(category.key(), Kind.WHOLE, p -> p.atPeak().getOrDefault(category, 0L)));
        }
        all.add(of("rounding", Kind.WHOLE, Prediction::rounding));
        all.add(of("cached_free", Kind.WHOLE, Prediction::cachedFree));
        all.add(of(
                "oom_phase",
                Kind.TEXT,
                p -> p.oom() == null ? null : p.oom().phase().label()));
        all.add(of(
                "oom_operator", Kind.TEXT, p -> p.oom() == null ? null : p.oom().operator()));
        all.add(of("unmodelled", Kind.TEXT, Answer::unmodelled));
        all.add(of(
                "warnings",
                Kind.TEXT,
                p -> p.warnings().isEmpty() ? null : Door.here().tell(String.join(" | ", p.warnings()))));
        return List.copyOf(all);
    }

    private static Answer of(String name, Kind kind, Function<Prediction, @Nullable Object> of) {
        return new Answer(new Column(name, kind), of);
    }

    private static @Nullable String unmodelled(Prediction p) {
        return p.unmodelled().isEmpty()
                ? null
                : p.unmodelled().stream()
                        .map(u -> u.operator() + " x" + u.count())
                        .collect(Collectors.joining("; "));
    }
}
