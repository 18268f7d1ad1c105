package dev.headroom.app.sweep;

import dev.headroom.app.option.BadOption;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The table of a sweep, being written. */
interface TableFile extends Closeable {
    /** Adds a row. */
    void write(Row row) throws IOException;

    /** Opens a file. */
    interface Format {
        TableFile open(Path file, List<Column> columns) throws IOException;
    }

    /**
     * The format that the name of a file tells.
     *
     * @throws BadOption for another name
     */
    static Format format(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        if (name.endsWith(".csv")) {
            return CsvTable::new;
        } else if (name.endsWith(".jsonl")) {
            return JsonLines::new;
        } else if (name.endsWith(".parquet")) {
            return ParquetTable::new;
        }
        throw new BadOption("-o: " + file + " is neither .csv nor .jsonl nor .parquet; name it so");
    }
}
