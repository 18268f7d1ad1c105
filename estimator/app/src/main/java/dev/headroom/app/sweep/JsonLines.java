package dev.headroom.app.sweep;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A line of JSON for each row. */
final class JsonLines implements TableFile {
    private final Writer out;

    /** @param columns stand in each row */
    JsonLines(Path file, List<Column> columns) throws IOException {
        out = Files.newBufferedWriter(file);
    }

    @Override
    public void write(Row row) throws IOException {
        out.write(row.line());
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
