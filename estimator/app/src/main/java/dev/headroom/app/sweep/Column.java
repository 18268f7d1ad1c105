package dev.headroom.app.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A column of the table that a sweep writes. */
record Column(String name, Kind kind) {
    /** What cells hold, where they hold anything. */
    enum Kind {
        /** A {@code Long}. */
        WHOLE,
        /** A {@code Double}. */
        REAL,
        /** A {@code Boolean}. */
        TRUTH,
        /** A {@code String}. */
        TEXT
    }

    /** The number of the row, from 0. */
    static final Column ROW = new Column("row", Kind.WHOLE);

    /** Why a row has no answer, in one line. */
    static final Column ERROR = new Column("error", Kind.TEXT);

    /** Whether no other row has less of all that it costs and more of all that it yields. */
    static final Column PARETO = new Column("pareto", Kind.TRUTH);

    private static final Pattern WHOLE = Pattern.compile("[1-9]\\d{0,17}|0");

    /** Whether texts of an option are one whole number, or none at all. */
    static boolean isWhole(List<String> texts) {
        return texts.isEmpty()
                || texts.size() == 1 && WHOLE.matcher(texts.get(0)).matches();
    }

    /** What is kept of a row: its number, its options, the answer or why there is none. */
    static List<Column> kept(Scenarios scenarios) {
        List<Column> columns = new ArrayList<>();
        columns.add(ROW);
        columns.addAll(options(scenarios));
        Answer.ALL.forEach(answer -> columns.add(answer.column()));
        columns.add(ERROR);
        return columns;
    }

    /** Those of the options. */
    static List<Column> options(Scenarios scenarios) {
        return scenarios.columns().stream()
                .map(word -> new Column(word, scenarios.isWhole(word) ? Kind.WHOLE : Kind.TEXT))
                .toList();
    }
}
