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
        String generating = GENERATING.get(kind);
        String program = generating == null ? read(kind) : read("generation").replace("{class}", generating);
        return filled(program, model, size, ".pt2");
    }

    /** The module that writes plans of {@code torch.compile}. */
    static String ofPlans() {
        return read("compile");
    }

    /**
     * That module as a program that writes the plan of a model.
     *
     * @throws BadOption for a name that no model has, and for heads that the program does not know
     */
    static String ofPlan(String kind, String model, long size) {
        boolean library = kind.equals("torchvision") || kind.equals("timm");
        String generating = GENERATING.get(kind);
        if (!library && generating == null) {
            throw new BadOption("--compile: no program for the head " + kind
                    + "; call headroom export-help --compile > headroom_plan.py and use it in your script");
        }
        String step =
                library ? read("compile-" + kind) : read("compile-transformers").replace("{class}", generating);
        return ofPlans() + filled(step, model, size, "-plan.json.gz");
    }

    private static String filled(String program, String model, long size, String ending) {
        if (!model.matches("[\\w./:@ +-]*\\w")) {
            throw new BadOption("NAME: '" + model + "' is no model's name; write it as the library does");
        }
        String file = model.substring(model.lastIndexOf('/') + 1) + ending;
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
