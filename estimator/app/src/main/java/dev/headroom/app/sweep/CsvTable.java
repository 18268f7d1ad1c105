package dev.headroom.app.sweep;

import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Comma-separated values, names first; what is not known is an empty cell. */
final class CsvTable implements TableFile {
    private final Writer out;
    private final SequenceWriter rows;

    CsvTable(Path file, List<Column> columns) throws IOException {
        CsvSchema.Builder schema = CsvSchema.builder().setUseHeader(true);
        columns.forEach(column -> schema.addColumn(column.name()));
        out = Files.newBufferedWriter(file);
        rows = new CsvMapper().writer(schema.build()).writeValues(out);
    }

    @Override
    public void write(Row row) throws IOException {
        List<Object> cells = new ArrayList<>();
        for (int i = 0; i < row.columns().size(); i++) {
            cells.add(row.get(i));
        }
        rows.write(cells);
    }

    @Override
    public void close() throws IOException {
        rows.close();
        out.close();
    }
}
