package dev.headroom.model.importer;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Files that people have of their models and that hold no program: what each is, and what to name instead. */
final class ForeignFiles {
    private static final String WEIGHTS = " holds weights and no program; name the folder with the model's config.json,"
            + " or export the model ('headroom export-help' prints how)";
    private static final String SCRIPT = " is a script; call headroom.predict(model, inputs) in it (docs/python.md), or"
            + " export its model ('headroom export-help' prints how)";

    /** By the end of a file's name. */
    private static final Map<List<String>, String> KINDS = Map.of(
            List.of(".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".h5", ".gguf"), WEIGHTS,
            List.of(".py", ".ipynb"), SCRIPT);

    private ForeignFiles() {}

    /** What is to be said of a file that no importer takes, after its name. */
    static Optional<String> what(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return KINDS.entrySet().stream()
                .filter(kind -> kind.getKey().stream().anyMatch(name::endsWith))
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
