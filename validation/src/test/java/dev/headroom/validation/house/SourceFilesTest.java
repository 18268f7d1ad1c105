package dev.headroom.validation.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Files that people can read: short, narrow, and each package introduced. */
class SourceFilesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int LONGEST = 350;
    private static final int MEDIAN = 75;
    private static final int WIDEST = 120;
    private static final int LEAST_SENTENCES = 2;
    private static final int MOST_SENTENCES = 6;
    private static final Pattern SENTENCE = Pattern.compile("[.!?](?=\\s|$)");

    private static List<Path> production() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(f -> f.toString().endsWith(".java"))
                    .filter(f -> f.toString().contains("/src/main/java/"))
                    .toList();
        }
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    @Test
    void noFileIsLongerThanTwoScreensOfCode() throws IOException {
        List<String> offenders = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        for (Path file : production()) {
            int lines = Files.readAllLines(file).size();
            lengths.add(lines);
            if (lines > LONGEST) {
                offenders.add(name(file) + " " + lines);
            }
        }
        assertEquals(List.of(), offenders);
        lengths.sort(null);
        int median = lengths.get(lengths.size() / 2);
        assertTrue(median <= MEDIAN, "half of the files are longer than " + median + " lines");
    }

    @Test
    void linesFitTheScreen() throws IOException {
        List<String> offenders = new ArrayList<>();
        for (Path file : production()) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).length() > WIDEST) {
                    offenders.add(name(file) + ":" + (i + 1));
                }
            }
        }
        assertEquals(List.of(), offenders);
    }

    @Test
    void everyPackageIsIntroduced() throws IOException {
        List<String> offenders = production().stream()
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !Files.exists(folder.resolve("package-info.java")))
                .map(SourceFilesTest::name)
                .toList();
        assertEquals(List.of(), offenders);
    }

    @Test
    void everyPackageIsIntroducedInTwoToSixSentences() throws IOException {
        List<String> offenders = new ArrayList<>();
        for (Path file : production()) {
            if (file.endsWith("package-info.java")) {
                String text = Files.readString(file);
                int sentences = (int) SENTENCE.matcher(comment(text)).results().count();
                if (sentences < LEAST_SENTENCES || sentences > MOST_SENTENCES) {
                    offenders.add(name(file) + " " + sentences);
                }
            }
        }
        assertEquals(List.of(), offenders);
    }

    /** The javadoc without stars and tags. */
    private static String comment(String source) {
        String javadoc = source.substring(source.indexOf("/**") + 3, source.indexOf("*/"));
        return javadoc.replaceAll("(?m)^ \\*", "").replaceAll("\\{@\\w+\\s+([^}]*)}", "$1");
    }

    /** What may be absent is marked, or NullAway would not look. */
    @Test
    void everyPackageIsNullMarked() throws IOException {
        List<String> offenders = new ArrayList<>();
        for (Path file : production()) {
            if (file.endsWith("package-info.java") && !Files.readAllLines(file).contains("@NullMarked")) {
                offenders.add(name(file));
            }
        }
        assertEquals(List.of(), offenders);
    }
}
