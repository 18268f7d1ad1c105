package dev.headroom.model.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileInputTest {
    @TempDir
    Path folder;

    private static void assertRejected(Path file, String expected) {
        String message = assertThrows(UserInputException.class, () -> Importers.read(file))
                .getMessage();
        assertTrue(message.contains(expected), message);
        assertFalse(message.contains("\n"), message);
        assertTrue(message.length() < 600, message);
        assertTrue(message.contains(file.toString()), message);
    }

    private Path file(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("broken.pt2"), bytes);
    }

    @Test
    void filesThatAreNone() throws IOException {
        assertRejected(folder.resolve("missing.pt2"), "does not exist");
        assertRejected(folder, "is a directory");
        assertRejected(file(new byte[0]), "is empty");
        assertRejected(file("no zip at all".getBytes(StandardCharsets.UTF_8)), "is not a complete zip archive");
        assertRejected(Files.writeString(folder.resolve("model.txt"), "text"), "is not a model file");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 30, 500, 4000, 7000})
    void truncatedArchives(int bytes) throws IOException {
        byte[] whole = Fixtures.resource("features-meta.pt2");
        assertRejected(file(Arrays.copyOf(whole, bytes)), "is not a complete zip archive");
    }

    @Test
    void zipsOfSomethingElse() {
        assertRejected(Archives.empty().with("readme.txt", "hello").write(folder), "no exported program");
        assertRejected(Archives.empty().with("r/archive_format", "pt2").write(folder), "no exported program");
    }

    @Test
    void jsonCutInTheMiddle() {
        Path file = Archives.empty()
                .with("r/models/model.json", Archives.PROGRAM.substring(0, Archives.PROGRAM.length() / 2))
                .write(folder);
        assertRejected(file, "is not valid JSON");
        assertRejected(Archives.empty().with("r/models/model.json", "").write(folder), "it is empty");
        assertRejected(Archives.empty().with("r/models/model.json", "[]").write(folder), "expected an object");
        assertRejected(Archives.empty().with("r/models/model.json", "{}").write(folder), "no graph");
    }

    @Test
    void textThatIsNotUtf8() {
        byte[] json = "{\"graph_module\": \"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertRejected(Archives.empty().with("r/models/model.json", json).write(folder), "is not valid JSON");
    }

    /** What is printed on a terminal must not command it. */
    @Test
    void namesWithControlCharacters() {
        String escape = "\\u001b[2J";
        assertRejected(
                Archives.changed("L__self__,,m.Net", "L__self__,,m.Net;a,a" + escape + ",m.Net")
                        .write(folder),
                "'a [2J' holds a control character");
        assertRejected(
                Archives.changed("\"parameter_name\": \"w\"", "\"parameter_name\": \"w" + escape + "\"")
                        .write(folder),
                "'w [2J' holds a control character");
    }

    /** Each of them would be kept with its whole path: the square of what the file has. */
    @Test
    void modulesNestedWithoutEnd() {
        String path = "m.".repeat(60_000) + "w";
        assertRejected(
                Archives.changed("\"parameter_name\": \"w\"", "\"parameter_name\": \"" + path + "\"")
                        .write(folder),
                "more than Python's calls can be nested: m.m.");
    }

    /** Blanks deflate a thousandfold: the reader must stop by what comes out. */
    @Test
    void zipBombs() throws IOException {
        Path file = folder.resolve("bomb.pt2");
        byte[] blanks = new byte[1 << 20];
        Arrays.fill(blanks, (byte) ' ');
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.setLevel(1);
            zip.putNextEntry(new ZipEntry("r/models/model.json"));
            for (int i = 0; i < 300; i++) {
                zip.write(blanks);
            }
        }
        assertRejected(file, "inflates to more than");
    }

    /** An entry that claims two gigabytes is read for what it holds. */
    @Test
    void declaredSizesAreNotBelieved() throws IOException {
        Path file = Archives.sound().write(folder);
        byte[] bytes = Files.readAllBytes(file);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int header = text.lastIndexOf("PK\u0001\u0002");
        for (int i = 0; i < 4; i++) {
            bytes[header + 24 + i] = (byte) (i == 3 ? 0x7f : 0xff);
        }
        assertEquals(1, Importers.read(file(bytes)).nodes().size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "META(3,2); {\"dtype\": 7, \"sizes\": [INT(-3)], \"strides\": [INT(1)]}; is negative",
                "META(3,2); {\"dtype\": 7, \"sizes\": [INT(3)], \"strides\": [INT(-1)]}; is negative",
                "META(3,2); {\"dtype\": 7, \"sizes\": [INT(99999999999999999999)], \"strides\": [INT(1)]}; cannot be read",
                "META(3,2); {\"dtype\": 7, \"sizes\": [INT(3)], \"strides\": []}; 1 sizes but 0 strides",
                "META(3,2); {\"dtype\": 55, \"sizes\": [], \"strides\": []}; element type 55",
                "META(3,2); {\"dtype\": 7}; lacks its sizes",
                "META(3,2); 7; expected an object but found a number",
                "\"p_w\": META(3,2), \"x\"; \"x\"; no description",
                "\"p_w\": META(3,2); \"x\": META(3,2); described twice",
            })
    void tensorsThatCannotBe(String part, String replacement, String expected) {
        assertRejected(Archives.changed(part, replacement).write(folder), expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"arg\": {\"as_tensor\": {\"name\": \"x\"}}, \"kind\"; \"arg\": {\"as_tensor\": {\"name\": \"ghost\"}}, \"kind\"; ghost",
                "\"outputs\": [{\"as_tensor\": {\"name\": \"y\"}}], \"metadata\"; \"outputs\": [{\"as_tensor\": {\"name\": \"x\"}}], \"metadata\"; defined twice",
                "{\"as_tensor\": {\"name\": \"x\"}}, \"kind\"; {\"as_ints\": [{\"as_name\": \"ghost\"}]}, \"kind\"; ghost is used but not defined",
                "{\"as_tensor\": {\"name\": \"x\"}}, \"kind\"; {}, \"kind\"; one of several kinds",
                "{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"y\"}}}}; {\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"z\"}}}}; computed by no node",
            })
    void namesThatDangle(String part, String replacement, String expected) {
        String source = Archives.PROGRAM.replaceAll("\\s+", " ");
        assertTrue(source.contains(part), part);
        Path file = Archives.empty()
                .with("r/models/model.json", source.replace(part, replacement))
                .write(folder);
        assertRejected(file, expected);
    }

    @Test
    void nestingWithoutEnd() {
        String deep = "[".repeat(100_000);
        assertRejected(
                Archives.changed("\"metadata\": {}", "\"metadata\": " + deep).write(folder), "nesting depth");
        String expression = "Add(".repeat(5_000) + "Integer(1)" + ")".repeat(5_000);
        assertRejected(
                Archives.changed(
                                "META(3,2)",
                                "{\"dtype\": 7, \"sizes\": [{\"as_expr\": {\"expr_str\": \"" + expression
                                        + "\"}}], \"strides\": [INT(1)]}")
                        .write(folder),
                "nested too deeply");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"../models/model.json", "/etc/models/model.json", "r/../../models/model.json", "..\\models"})
    void namesThatLeaveTheArchive(String name) {
        assertRejected(Archives.sound().with(name, "x").write(folder), "points out of the archive");
    }

    @Test
    void backwardGraphs() {
        Path file = Archives.changed(
                        "\"output_specs\": [",
                        "\"output_specs\": [{\"gradient_to_parameter\": {\"arg\": {\"name\": \"y\"}, \"parameter_name\": \"w\"}}, ")
                .write(folder);
        assertRejected(file, "export the forward pass only");
    }

    @Test
    void messagesSayWhere() {
        Path file = Archives.changed("\"target\": \"torch.ops.aten.linear.default\"", "\"target\": 5")
                .write(folder);
        assertRejected(
                file, "models/model.json, /graph_module/graph/nodes/0/target: expected a text but found a number");
    }
}
