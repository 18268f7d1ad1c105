package dev.headroom.model.yaml;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** A part of a YAML file, which knows its line; whoever asks it for something else gets a message that names both. */
public record Yaml(String file, Node node) {
    /** In characters; the library's time grows with the square of a line's length. */
    private static final int LONGEST_LINE = 1 << 16;

    /** @throws UserInputException for a text that is no YAML, or has a line that nobody would write */
    public static Yaml parse(String file, String text) {
        refuseLongLines(file, text);
        LoadSettings settings = LoadSettings.builder()
                .setUseMarks(true)
                .setLabel(file)
                .setSchema(new CoreSchema())
                .build();
        try {
            Node root = new Compose(settings)
                    .composeString(text)
                    .orElseThrow(() -> new UserInputException(file + " is empty"));
            return new Yaml(file, root);
        } catch (MarkedYamlEngineException e) {
            String place = e.getProblemMark().map(m -> ":" + (m.getLine() + 1)).orElse("");
            throw new UserInputException(file + place + ": no YAML: " + e.getProblem(), e);
        } catch (YamlEngineException e) {
            throw new UserInputException(file + ": no YAML: " + e.getMessage(), e);
        } catch (StackOverflowError e) { // the library has no limit of its own
            throw new UserInputException(file + " is nested too deeply", e);
        }
    }

    private static void refuseLongLines(String file, String text) {
        int line = 1;
        for (int from = 0; from < text.length(); line++) {
            int newline = text.indexOf('\n', from);
            int to = newline < 0 ? text.length() : newline;
            if (to - from > LONGEST_LINE) {
                throw new UserInputException(file + ":" + line + ": a line has at most " + LONGEST_LINE
                        + " characters, this one " + (to - from));
            }
            from = to + 1;
        }
    }

    /** Counted from 1. */
    public int line() {
        return node.getStartMark().map(m -> m.getLine() + 1).orElse(0);
    }

    /** A refusal that names the file and the line. */
    public UserInputException wrong(String what) {
        return new UserInputException(file + ":" + line() + ": " + what);
    }

    /** Whether it is one word, number or line. */
    public boolean isText() {
        return node instanceof ScalarNode;
    }

    /** Whether it is {@code null}, {@code ~}, or left empty. */
    public boolean isNull() {
        return node.getTag().equals(Tag.NULL);
    }

    /** Whether it is written as a list. */
    public boolean isList() {
        return node instanceof SequenceNode;
    }

    /** Whether it has entries. */
    public boolean isMap() {
        return node instanceof MappingNode;
    }

    /** A word, a number or a line. */
    public String text(String what) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getValue().strip();
        }
        throw wrong(what + " is one word here");
    }

    /** The elements; of a single one that is not written as a list, that. */
    public List<Yaml> list() {
        if (!(node instanceof SequenceNode sequence)) {
            return List.of(this);
        }
        List<Yaml> out = new ArrayList<>();
        sequence.getValue().forEach(element -> out.add(new Yaml(file, element)));
        return out;
    }

    /** The entries by key. */
    public Map<String, Yaml> map(String what) {
        if (!(node instanceof MappingNode mapping)) {
            throw wrong(what + " has entries, one a line: name: …");
        }
        Map<String, Yaml> out = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            Yaml key = new Yaml(file, entry.getKeyNode());
            if (out.put(key.text("a key"), new Yaml(file, entry.getValueNode())) != null) {
                throw key.wrong("'" + key.text("a key") + "' stands there twice");
            }
        }
        return out;
    }

    /** The entries by key, of which only some are known. */
    public Map<String, Yaml> map(String what, List<String> known) {
        Map<String, Yaml> entries = map(what);
        entries.forEach((key, value) -> {
            if (!known.contains(key)) {
                throw value.wrong(what + " has no '" + key + "'" + Suggestion.of(key, known) + "; it has "
                        + String.join(", ", known));
            }
        });
        return entries;
    }
}
