package dev.headroom.validation.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of docs/mutation.md is about classes and tests that there are, and the command about the profile. */
class MutationReportTest {
    private static final Path PAGE = Pages.ROOT.resolve("docs/mutation.md");
    private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");
    private static final Pattern KILLED = Pattern.compile("(\\d+) of (\\d+)");

    /** Classes and packages of sources, by their names below {@code dev.headroom}, and with every shorter ending. */
    private static Set<String> names(String sources) throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Pages.ROOT)) {
            files.filter(f -> f.toString().contains("/src/" + sources + "/java/dev/headroom/"))
                    .filter(f -> f.toString().endsWith(".java"))
                    .map(f -> f.toString().replaceAll(".*/src/\\w+/java/dev/headroom/|\\.java$", ""))
                    .forEach(name -> {
                        String dotted = name.replace('/', '.');
                        names.add(dotted);
                        names.add(dotted.substring(dotted.lastIndexOf('.') + 1));
                        names.add(dotted.substring(0, Math.max(0, dotted.lastIndexOf('.'))));
                    });
        }
        return names;
    }

    private static List<String[]> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(1, line.length() - 1).split("\\|"))
                .toList();
    }

    @Test
    void rowsNameClassesAndTestsThatThereAre() throws IOException {
        Set<String> classes = names("main");
        Set<String> tests = names("test");
        assertFalse(rows().isEmpty());
        List<String> unknown = new ArrayList<>();
        for (String[] row : rows()) {
            collect(row[0], classes, unknown);
            collect(row[1], tests, unknown);
        }
        assertEquals(List.of(), unknown);
    }

    private static void collect(String cell, Set<String> known, List<String> unknown) {
        Matcher names = NAME.matcher(cell);
        while (names.find()) {
            if (!known.contains(names.group(1))) {
                unknown.add(names.group(1));
            }
        }
    }

    @Test
    void noMoreAreKilledThanThereAre() throws IOException {
        for (String[] row : rows()) {
            Matcher killed = KILLED.matcher(row[row.length - 1]);
            assertTrue(killed.find(), String.join("|", row));
            int of = Integer.parseInt(killed.group(2));
            assertTrue(of > 0 && Integer.parseInt(killed.group(1)) <= of, String.join("|", row));
        }
    }

    /** The command names a profile, and the page a version and a folder, that the build has. */
    @Test
    void whatThePageSaysOfTheBuildIsSo() throws IOException {
        String page = Files.readString(PAGE);
        String build = Files.readString(Pages.ROOT.resolve("pom.xml"));
        Matcher profile = Pattern.compile("-P(\\w+)").matcher(page);
        assertTrue(profile.find());
        assertTrue(build.contains("<id>" + profile.group(1) + "</id>"));
        Matcher version = Pattern.compile("PIT (\\d[\\d.]+\\d)").matcher(page);
        assertTrue(version.find());
        assertTrue(build.contains("<pitest.version>" + version.group(1) + "</pitest.version>"), version.group(1));
        assertTrue(build.contains("/.mutation/"));
        assertTrue(Files.readString(Pages.ROOT.resolve(".gitignore")).contains("/.mutation/"));
    }
}
