package dev.headroom.model.script;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importer;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.yaml.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of a loop: {@code models}, {@code optimizers}, {@code data} and {@code steps}. The graph that comes of
 * it is that of all models together, and has the {@link Script} as its loop.
 */
public final class ScriptFile implements Importer {
    private static final Pattern REPEATED = Pattern.compile("(repeat|every) (\\d{1,4})");
    private static final Pattern WORD = Pattern.compile("[A-Za-z_]\\w*");

    @Override
    public String format() {
        return "loops of several models (.yaml)";
    }

    @Override
    public boolean accepts(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".yaml") || name.endsWith(".yml");
    }

    @Override
    public Graph read(Path file) {
        return read(file, Scenario.defaults());
    }

    @Override
    public Graph read(Path file, Scenario scenario) {
        String name = String.valueOf(file.getFileName());
        try {
            return new Reading(file, scenario).graph(Yaml.parse(name, Files.readString(file)), name);
        } catch (IOException e) {
            throw new UserInputException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** One file. */
    private static final class Reading {
        private final Path file;
        private final Scenario scenario;
        private final Map<String, Script.Model> models = new LinkedHashMap<>();

        /** As they were read, by the name of the model. */
        private final Map<String, Graph> archives = new LinkedHashMap<>();

        /** The same by file: several models may come of one. */
        private final Map<Path, Graph> files = new HashMap<>();

        Reading(Path file, Scenario scenario) {
            this.file = file;
            this.scenario = scenario;
        }

        Graph graph(Yaml root, String name) {
            Map<String, Yaml> parts = root.map("the file", List.of("models", "optimizers", "data", "steps"));
            for (String needed : List.of("models", "steps")) {
                if (!parts.containsKey(needed)) {
                    throw root.wrong("'" + needed + "' is missing");
                }
            }
            Objects.requireNonNull(parts.get("models"))
                    .map("models")
                    .forEach((key, entry) -> models.put(key, model(key, entry)));
            List<Script.Optimizer> optimizers = new ArrayList<>();
            if (parts.containsKey("optimizers")) {
                OptimizerEntries entries = new OptimizerEntries(models.keySet(), scenario);
                parts.get("optimizers")
                        .map("optimizers")
                        .forEach((key, entry) -> optimizers.add(entries.read(word(key, entry), entry)));
            }
            List<Script.Data> data = new ArrayList<>();
            if (parts.containsKey("data")) {
                parts.get("data").map("data").forEach((key, entry) -> data.add(data(word(key, entry), entry)));
            }
            List<Statement> steps = steps(Objects.requireNonNull(parts.get("steps")));
            Script script = new Script(name, List.copyOf(models.values()), optimizers, data, steps);
            new ScriptCheck(script).check();
            String title = name.substring(0, name.lastIndexOf('.'));
            return Composition.together(title, script.models()).withLoop(script);
        }

        private static String word(String key, Yaml entry) {
            if (!WORD.matcher(key).matches()) {
                throw entry.wrong("'" + key + "' is no name: letters, digits and _ only");
            }
            return key;
        }

        private Script.Model model(String name, Yaml entry) {
            word(name, entry);
            if (entry.isText()) {
                return read(name, entry, true);
            }
            Map<String, Yaml> of = entry.map("a model", List.of("file", "frozen", "copy_of", "average_of"));
            boolean frozen = of.containsKey("frozen") && truth(of.get("frozen"));
            if (of.containsKey("file")) {
                return read(name, of.get("file"), !frozen);
            }
            String averaged = of.containsKey("average_of") ? known(of.get("average_of")) : null;
            String source = averaged != null ? averaged : of.containsKey("copy_of") ? known(of.get("copy_of")) : null;
            if (source == null) {
                throw entry.wrong("model '" + name + "' needs a file, copy_of or average_of");
            }
            Graph again = Objects.requireNonNull(archives.get(source));
            archives.put(name, again);
            return new Script.Model(name, Composition.named(again, name, !frozen && averaged == null), averaged);
        }

        private Script.Model read(String name, Yaml entry, boolean trained) {
            Graph archive = archive(entry);
            archives.put(name, archive);
            return new Script.Model(name, Composition.named(archive, name, trained), null);
        }

        private Graph archive(Yaml entry) {
            String text = entry.text("a model's file");
            Path beside = file.resolveSibling(text);
            try {
                Graph read = files.computeIfAbsent(
                        Files.exists(beside) ? beside : Path.of(text), path -> Importers.read(path, scenario));
                if (read.loop() != null || read.held().loaded()) {
                    throw new UserInputException(text + " is no archive of torch.export");
                }
                return read;
            } catch (UserInputException e) {
                throw new UserInputException(
                        entry.wrong(String.valueOf(e.getMessage())).getMessage(), e);
            }
        }

        private String known(Yaml entry) {
            String name = entry.text("a model");
            if (!models.containsKey(name)) {
                throw entry.wrong(
                        "'" + name + "' is no model that stands before" + Suggestion.of(name, models.keySet()));
            }
            return name;
        }

        private static boolean truth(Yaml entry) {
            return switch (entry.text("frozen")) {
                case "true" -> true;
                case "false" -> false;
                default -> throw entry.wrong("true or false is expected");
            };
        }

        private Script.Data data(String name, Yaml entry) {
            if (entry.isText()) {
                String text = entry.text("an input");
                int dot = text.indexOf('.');
                Script.Model of = dot < 0 ? null : models.get(text.substring(0, dot));
                String input = text.substring(dot + 1);
                List<String> inputs = of == null
                        ? models.keySet().stream().map(m -> m + ".INPUT").toList()
                        : inputs(of.graph());
                if (of == null || !inputs.contains(input)) {
                    throw entry.wrong("'" + text + "' is no input of a model; there is " + String.join(", ", inputs));
                }
                return new Script.Data(name, of.name(), input, null, List.of());
            }
            Map<String, Yaml> of = entry.map("data", List.of("type", "size"));
            if (!of.containsKey("size")) {
                throw entry.wrong("'" + name + "' needs a size, such as [batch, 10], or the input that it is like, such"
                        + " as MODEL.x");
            }
            List<@Nullable Long> sizes = new ArrayList<>();
            for (Yaml size : of.get("size").list()) {
                String text = size.text("a size");
                if (!text.equals("batch") && !text.matches("\\d{1,12}")) {
                    throw size.wrong("'" + text + "' is no size: a number or batch");
                }
                sizes.add(text.equals("batch") ? null : Long.valueOf(text));
            }
            return new Script.Data(name, null, null, type(of.get("type")), sizes);
        }

        private static List<String> inputs(Graph graph) {
            return graph.inputs().stream()
                    .filter(in -> in.kind() == Graph.InputKind.USER)
                    .map(Graph.Input::qualifiedName)
                    .toList();
        }

        private static DType type(@Nullable Yaml entry) {
            if (entry == null) {
                return DType.FLOAT32;
            }
            String text = entry.text("a type");
            for (DType type : DType.values()) {
                if (type.torchName().equals(text)) {
                    return type;
                }
            }
            throw entry.wrong("'" + text + "' is no type of PyTorch; write it like float32 or int64");
        }

        private List<Statement> steps(Yaml list) {
            if (!list.isList()) {
                throw list.wrong("steps are a list: a line of the loop after each dash");
            }
            List<Statement> out = new ArrayList<>();
            for (Yaml step : list.list()) {
                out.add(step.isText() ? line(step) : block(step));
            }
            return out;
        }

        private static Statement line(Yaml step) {
            try {
                return LineParser.parse(step.text("a step"), step.line());
            } catch (IllegalArgumentException e) {
                throw step.wrong(e.getMessage() + ": " + step.text("a step"));
            }
        }

        private Statement block(Yaml step) {
            Map<String, Yaml> entries = step.map("a step");
            Map.Entry<String, Yaml> only = entries.entrySet().iterator().next();
            String head = only.getKey();
            List<Statement> body = steps(only.getValue());
            Matcher repeated = REPEATED.matcher(head);
            if (entries.size() == 1 && repeated.matches() && !repeated.group(2).matches("0+")) {
                Statement.Kind kind = repeated.group(1).equals("repeat") ? Statement.Kind.REPEAT : Statement.Kind.EVERY;
                return new Statement.Block(kind, Integer.parseInt(repeated.group(2)), null, body, step.line());
            }
            if (entries.size() == 1 && head.equals("no_grad")) {
                return new Statement.Block(Statement.Kind.NO_GRAD, 0, null, body, step.line());
            }
            if (entries.size() == 1 && head.matches("autocast( bf16| fp16)?")) {
                String type = head.equals("autocast") ? null : head.substring("autocast ".length());
                return new Statement.Block(Statement.Kind.AUTOCAST, 0, type, body, step.line());
            }
            throw step.wrong("'" + head + "' is no block; there are no_grad, autocast, autocast bf16, repeat N and"
                    + " every N, each with a list of steps below it");
        }
    }
}
