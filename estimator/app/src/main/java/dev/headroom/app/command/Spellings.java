package dev.headroom.app.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** What other programs call Headroom's options, from the resource {@code spellings.csv}. */
final class Spellings {
    private static final String RESOURCE = "spellings.csv";

    private Spellings() {}

    /**
     * What to write in place of an option of another program.
     *
     * @param name as it was typed, with its dashes
     * @param options of the command: nothing else is said
     */
    static Optional<String> of(String name, Collection<String> options) {
        String typed = name.replaceFirst("^-+", "").toLowerCase(Locale.ROOT).replace('_', '-');
        try (InputStream in = Spellings.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(typed + ","))
                    .map(line -> line.substring(typed.length() + 1))
                    .filter(option -> options.contains(option.split(" ", 2)[0]))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
    }
}
