package dev.headroom.estimator.cudnn;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** Files of rules, which lie beside these classes, compressed. */
final class RuleFile {
    /** What a file's bytes mean. */
    interface Form<T> {
        T read(DataInputStream in) throws IOException;
    }

    private RuleFile() {}

    /** The contents of a file that there is. */
    static <T> T read(String name, Form<T> form) {
        return find(name, form).orElseThrow(() -> new IllegalStateException("no rules " + name));
    }

    /** The contents of a file, if there is one of that name. */
    static <T> Optional<T> find(String name, Form<T> form) {
        try (InputStream file = RuleFile.class.getResourceAsStream(name)) {
            if (file == null) {
                return Optional.empty();
            }
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(new GZIPInputStream(file)))) {
                return Optional.of(form.read(in));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
