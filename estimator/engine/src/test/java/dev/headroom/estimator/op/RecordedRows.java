package dev.headroom.estimator.op;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Tables of what a GPU answered ({@code h100/README.md} among the resources). */
public final class RecordedRows {
    private RecordedRows() {}

    /** Rows of a file of {@code h100}, without its head. */
    public static List<String[]> of(String file) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(RecordedRows.class.getResourceAsStream("h100/" + file)), StandardCharsets.UTF_8))) {
            return in.lines().skip(1).map(line -> line.split(",")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }
}
