package dev.headroom.app.sweep;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows, of those of a model that fit or need fit nothing, of which no other takes as little device memory for as
 * large a batch of sequences as long; of equals, the first.
 */
final class Pareto {
    private static final List<String> YIELD = List.of("batch", "seq");

    private final int model;
    private final int fits;
    private final int device;
    private final int error;
    private final List<Integer> yields = new ArrayList<>();
    /** What nothing so far beats, by model. */
    private final Map<Object, List<ParetoPoint>> fronts = new HashMap<>();

    Pareto(List<Column> columns) {
        List<String> names = columns.stream().map(Column::name).toList();
        this.model = names.indexOf("model");
        this.fits = names.indexOf("fits");
        this.device = names.indexOf("peak_device");
        this.error = names.indexOf(Column.ERROR.name());
        for (String name : YIELD) {
            int at = names.indexOf(name);
            if (at >= 0 && columns.get(at).kind() == Column.Kind.WHOLE) {
                yields.add(at);
            }
        }
    }

    /** Takes a row into account. */
    void add(int number, Row row) {
        if (row.get(error) != null || Boolean.FALSE.equals(row.get(fits))) {
            return;
        }
        long[] yield = yields.stream().mapToLong(at -> number(row.get(at))).toArray();
        ParetoPoint point = new ParetoPoint(number, number(row.get(device)), yield);
        List<ParetoPoint> front =
                fronts.computeIfAbsent(Objects.requireNonNull(row.get(model), "model"), any -> new ArrayList<>());
        if (front.stream().noneMatch(other -> other.covers(point))) {
            front.removeIf(point::covers);
            front.add(point);
        }
    }

    private static long number(@Nullable Object cell) {
        return cell == null ? 0 : (Long) cell;
    }

    /** The numbers of the rows of the set. */
    BitSet rows() {
        BitSet rows = new BitSet();
        fronts.values().forEach(front -> front.forEach(point -> rows.set(point.row())));
        return rows;
    }
}
