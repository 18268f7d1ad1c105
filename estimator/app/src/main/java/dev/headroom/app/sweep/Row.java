package dev.headroom.app.sweep;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.report.JsonOutput;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row of the table of a sweep, as one line of JSON. */
final class Row {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final List<Column> columns;
    private final @Nullable Object[] cells;

    Row(List<Column> columns) {
        this.columns = columns;
        this.cells = new @Nullable Object[columns.size()];
    }

    /** Fills the cell of a column, by its place. */
    void put(int column, @Nullable Object value) {
        cells[column] = value;
    }

    /** What a cell holds. */
    @Nullable
    Object get(int column) {
        return cells[column];
    }

    List<Column> columns() {
        return columns;
    }

    /** An object of JSON and a line feed: every column, {@code null} where nothing is known. */
    String line() {
        StringWriter line = new StringWriter();
        JsonOutput.write(line, this::write);
        return line.toString();
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        for (int i = 0; i < cells.length; i++) {
            json.writeFieldName(columns.get(i).name());
            json.writeObject(cells[i]);
        }
        json.writeEndObject();
    }

    /** Reads what {@link #line} wrote; what stands there and is no column is left out. */
    static Row read(List<Column> columns, String line) {
        Row row = new Row(columns);
        try (JsonParser json = MAPPER.createParser(line)) {
            json.nextToken();
            int next = 0;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                int at = next < columns.size() && columns.get(next).name().equals(name) ? next : at(columns, name);
                if (at >= 0) {
                    row.cells[at] = value(columns.get(at).kind(), json);
                }
                next = at + 1;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return row;
    }

    private static int at(List<Column> columns, String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private static @Nullable Object value(Column.Kind kind, JsonParser json) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        return switch (kind) {
            case WHOLE -> json.getLongValue();
            case REAL -> json.getDoubleValue();
            case TRUTH -> json.getBooleanValue();
            case TEXT -> json.getText();
        };
    }
}
