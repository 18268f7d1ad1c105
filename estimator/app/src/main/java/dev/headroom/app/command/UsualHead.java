package dev.headroom.app.command;

import dev.headroom.app.option.BadOption;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The head that a model of transformers is usually trained with, told from its name by a table of the resources. */
final class UsualHead {
    private static final String TABLE = "export/heads.csv";
    private static final String USUAL = "causal-lm";

    private UsualHead() {}

    /**
     * Such as {@code masked-lm} of {@code bert-base-uncased}.
     *
     * @throws BadOption for a model whose inputs are neither tokens nor images
     */
    static String of(String model) {
        String name = model.substring(model.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        String head = table().lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(",", 2))
                .filter(row -> name.contains(row[0]))
                .map(row -> row[1])
                .findFirst()
                .orElse(USUAL);
        if (head.equals("none")) {
            throw new BadOption(
                    "NAME: the inputs of '" + model + "' are neither tokens nor images alone; write the export"
                            + " by hand as docs/export.md shows for several inputs, or name a --head");
        }
        return head;
    }

    private static String table() {
        try (InputStream in = UsualHead.class.getResourceAsStream(TABLE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(TABLE, e);
        }
    }
}
