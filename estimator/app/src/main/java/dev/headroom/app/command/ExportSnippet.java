package dev.headroom.app.command;

import dev.headroom.app.option.BadOption;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A Python program that exports a model, from the resources in {@code export}. */
final class ExportSnippet {
    /** Heads that generate text are asked for in the same way. */
    private static final Map<String, String> GENERATING =
            Map.of("causal-lm", "AutoModelForCausalLM", "seq2seq-lm", "AutoModelForSeq2SeqLM");

    private ExportSnippet() {}

    /**
     * The program.
     *
     * @param kind a library or a head
     * @param model the model's name in its library
     * @param size tokens or pixels
     * @throws BadOption for a name that no model has
     */
    static String of(String kind, String model, long size) {
        if (!model.matches("[\\w./:@ +-]*\\w")) {
            throw new BadOption("NAME: '" + model + "' is no model's name; write it as the library does");
        }
        String file = model.substring(model.lastIndexOf('/') + 1) + ".pt2";
        String generating = GENERATING.get(kind);
        String program = generating == null ? read(kind) : read("generation").replace("{class}", generating);
        return program.replace("{name}", quoted(model))
                .replace("{size}", Long.toString(size))
                .replace("{file}", quoted(file));
    }

    /** Names hold neither quotes nor backslashes. */
    private static String quoted(String text) {
        return '"' + text + '"';
    }

    private static String read(String kind) {
        String name = "export/" + kind + ".py";
        try (InputStream in = ExportSnippet.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
