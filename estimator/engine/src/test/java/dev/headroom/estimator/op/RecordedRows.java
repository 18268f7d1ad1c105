package dev.headroom.estimator.op;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Tables of what PyTorch answered, on an H100 or on several GPUs (READMEs of the resources' folders). */
public final class RecordedRows {
    private RecordedRows() {}

    /** Rows of a file of {@code h100}, without its head. */
    public static List<String[]> of(String file) {
        return in("h100", file).stream().skip(1).toList();
    }

    /** Rows of a file, the first one its head. */
    public static List<String[]> in(String folder, String file) {
        String path = folder + "/" + file;
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(RecordedRows.class.getResourceAsStream(path)), StandardCharsets.UTF_8))) {
            return in.lines().map(line -> line.split(",")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }
}
