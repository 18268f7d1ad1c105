package dev.headroom.app.sweep;

import dev.headroom.app.ask.Question;
import dev.headroom.app.sweep.heat.HeatMap;
import dev.headroom.model.error.Unwritable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the journal of a sweep whose rows are all done, and writes its table in the order of rows. */
final class Finish {
    /** Most rows of the Pareto set that are told of. */
    private static final int SHOWN = 20;

    private final List<Column> kept;
    private final Journal journal;
    private final int[] rows;

    /** How many rows said what. */
    record Counts(int all, int fit, int doNotFit, int failed) {}

    Finish(Scenarios scenarios, Journal journal, int[] rows) {
        this.kept = Column.kept(scenarios);
        this.journal = journal;
        this.rows = rows.clone();
    }

    /** The rows of the Pareto set, by number. */
    BitSet pareto() {
        Pareto pareto = new Pareto(kept);
        for (int number : rows) {
            pareto.add(number, row(number));
        }
        return pareto.rows();
    }

    /** The first rows of a set. */
    List<Row> first(BitSet set) {
        return set.stream().limit(SHOWN).mapToObj(this::row).toList();
    }

    private Row row(int number) {
        return Row.read(kept, journal.line(number));
    }

    /**
     * Writes the table: beside it first, so that nobody reads half of one.
     *
     * @param pareto the rows of the set
     * @param map takes places, where one is asked for
     */
    Counts write(Path table, BitSet pareto, @Nullable HeatMapRows map) {
        List<Column> columns = new ArrayList<>(kept);
        columns.add(Column.PARETO);
        Path draft = table.resolveSibling("." + table.getFileName() + ".tmp");
        int fit = 0;
        int doNotFit = 0;
        int failed = 0;
        try {
            try (TableFile out = TableFile.format(table).open(draft, columns)) {
                for (int number : rows) {
                    Row row = Row.read(columns, journal.line(number));
                    boolean error = row.get(kept.size() - 1) != null;
                    row.put(kept.size(), error ? null : pareto.get(number));
                    out.write(row);
                    Object fits = row.get(fits());
                    failed += error ? 1 : 0;
                    fit += Boolean.TRUE.equals(fits) ? 1 : 0;
                    doNotFit += Boolean.FALSE.equals(fits) ? 1 : 0;
                    if (map != null && !error) {
                        map.add(row);
                    }
                }
            }
            Files.move(draft, table, StandardCopyOption.REPLACE_EXISTING);
            journal.remove();
        } catch (IOException e) {
            throw Unwritable.of("-o", table, e);
        }
        return new Counts(rows.length, fit, doNotFit, failed);
    }

    private int fits() {
        return kept.indexOf(Answer.ALL.get(0).column());
    }

    /** A heat map that is being filled. */
    record HeatMapRows(HeatMap map, List<Column> columns) {
        void add(Row row) {
            List<String> others = new ArrayList<>();
            Long x = null;
            Long y = null;
            for (int i = 1;
                    i < columns.size()
                            && !columns.get(i).equals(Answer.ALL.get(0).column());
                    i++) {
                Object cell = row.get(i);
                String name = columns.get(i).name();
                if (name.equals(map.x())) {
                    x = (Long) cell;
                } else if (name.equals(map.y())) {
                    y = (Long) cell;
                } else if (cell != null) {
                    others.add(name.equals(Question.MODEL) ? file(cell.toString()) : name + " " + cell);
                }
            }
            if (x == null || y == null) {
                return;
            }
            List<String> names = columns.stream().map(Column::name).toList();
            Boolean fits = (Boolean) row.get(names.indexOf("fits"));
            Long bytes = Boolean.FALSE.equals(fits) ? null : (Long) row.get(names.indexOf("peak_device"));
            map.add(String.join(", ", others), x, y, new HeatMap.Cell(bytes, fits));
        }

        private static String file(String model) {
            return model.substring(model.lastIndexOf('/') + 1);
        }
    }
}
