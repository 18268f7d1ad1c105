package dev.headroom.validation.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java of the manual compiles with the imports that it shows, and its first example runs. */
class JavaExamplesTest {
    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("^import .*\\n", Pattern.MULTILINE);

    @TempDir
    Path folder;

    @Test
    void theFirstPredicts() throws IOException, InterruptedException {
        compile("Example", first(examples()));
        Path out = folder.resolve("out.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        folder + ":" + System.getProperty("java.class.path"),
                        "Example")
                .directory(Pages.ROOT.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        String text = Files.readString(out);
        assertEquals(0, process.exitValue(), text);
        assertTrue(text.startsWith("true, allocated "), text);
        assertTrue(text.contains("phase=optimizer"), text);
    }

    @Test
    void theOthersCompile() throws IOException {
        List<String> examples = examples();
        for (int i = 0; i < examples.size(); i++) {
            // The others may use the variables of the one that predicts, or name their own graph.
            String own = examples.get(i);
            String before = own.contains("Graph graph") ? "" : first(examples);
            compile("Example" + i, before + own);
        }
        assertTrue(examples.size() >= 3);
    }

    /** The one that reads an archive and predicts. */
    private static String first(List<String> examples) {
        return examples.stream()
                .filter(e -> e.contains("Importers.read"))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> examples() throws IOException {
        return JAVA.matcher(Files.readString(Pages.ROOT.resolve("docs/library.md")))
                .results()
                .map((MatchResult m) -> m.group(1))
                .toList();
    }

    private void compile(String name, String example) throws IOException {
        Path source = folder.resolve(name + ".java");
        StringBuilder imports = new StringBuilder();
        IMPORT.matcher(example).results().forEach(m -> imports.append(m.group()));
        String body = IMPORT.matcher(example).replaceAll("");
        String program = imports + "class " + name + " {\npublic static void main(String[] args) throws Exception {\n"
                + body + "}\n}\n";
        Files.writeString(source, program);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            boolean compiled = compiler.getTask(
                            errors,
                            files,
                            null,
                            List.of(
                                    "-proc:none",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    "-d",
                                    folder.toString()),
                            null,
                            files.getJavaFileObjects(source))
                    .call();
            assertTrue(compiled, errors::toString);
        }
    }
}
