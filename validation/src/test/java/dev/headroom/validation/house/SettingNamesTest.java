package dev.headroom.validation.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.words.Door;
import dev.headroom.model.scenario.Mention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sentences name settings by the table's names, and only the command line's own code writes its options. */
class SettingNamesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final List<String> CORE =
            List.of("estimator/model", "estimator/engine", "estimator/advisor", "executor");
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?m)^\\s*//.*$");
    private static final Pattern LITERAL = Pattern.compile("\"((?:\\\\.|[^\"\\\\\\n])*)\"");
    private static final Pattern OPTION = Pattern.compile("--[a-z]|^--$");

    /** The end of one piece of text and the beginning of the next: {@code "`batch=" + batch + "` is"}. */
    private static final Pattern OPEN = Pattern.compile("`([a-z][a-z0-9_]*)=?[^`]*$");

    /** Arguments of NVIDIA's compiler, which are not Headroom's. */
    private static final String COMPILER = "Nvrtc.java";

    private record Literal(Path file, String text) {}

    private static List<Literal> literals(String module) throws IOException {
        List<Literal> out = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                String code = COMMENT.matcher(Files.readString(file)).replaceAll("");
                LITERAL.matcher(code)
                        .results()
                        .map((MatchResult found) -> new Literal(file, found.group(1)))
                        .forEach(out::add);
            }
        }
        return out;
    }

    @Test
    void theCoreWritesNoOptions() throws IOException {
        List<String> offenders = new ArrayList<>();
        for (String module : CORE) {
            for (Literal literal : literals(module)) {
                if (OPTION.matcher(literal.text).find() && !literal.file.endsWith(COMPILER)) {
                    offenders.add(literal.file.getFileName() + ": " + literal.text);
                }
            }
        }
        assertEquals(List.of(), offenders);
    }

    @Test
    void everySettingThatASentenceMentionsExists() throws IOException {
        List<String> offenders = new ArrayList<>();
        int mentions = 0;
        for (String module : List.of(
                "estimator/model",
                "estimator/engine",
                "estimator/advisor",
                "executor",
                "estimator/app",
                "validation")) {
            for (Literal literal : literals(module)) {
                List<Mention> all = new ArrayList<>(Mention.in(literal.text));
                OPEN.matcher(literal.text.replaceAll("`[a-z][a-z0-9_]*(=[^`]*)?`", ""))
                        .results()
                        .forEach(open -> all.add(new Mention(open.group(1), null)));
                mentions += all.size();
                all.stream()
                        .filter(mention -> !Door.know(mention))
                        .forEach(mention -> offenders.add(literal.file.getFileName() + ": " + mention));
            }
        }
        assertEquals(List.of(), offenders);
        assertTrue(mentions > 300, "only " + mentions + " were found");
    }
}
