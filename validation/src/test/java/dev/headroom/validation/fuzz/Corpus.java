package dev.headroom.validation.fuzz;

import dev.headroom.fixtures.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What earlier fuzzing found worth keeping: inputs that covered something new, a line each of the reader's name, the
 * number of its seed, and edits in hexadecimal digits. Lines of readers that are gone are left out.
 */
final class Corpus {
    private Corpus() {}

    /** Where the lines are. */
    static Path file() {
        return Fixtures.folder().resolve("fuzz").resolve("corpus.txt");
    }

    /** Writes the lines' inputs as the files that Jazzer begins with. */
    static void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        int number = 0;
        for (String line : Files.readAllLines(file())) {
            String[] parts = line.split(" ", -1);
            for (Reader reader : Reader.values()) {
                if (reader.name().equals(parts[0])) {
                    byte[] edits = HexFormat.of().parseHex(parts[2]);
                    byte[] bytes = ByteBuffer.allocate(2 + edits.length)
                            .put((byte) reader.ordinal())
                            .put((byte) Integer.parseInt(parts[1]))
                            .put(edits)
                            .array();
                    Files.write(folder.resolve("kept-" + number++), bytes);
                }
            }
        }
    }

    /** Keeps the inputs of a folder in the place of the lines: {@code Corpus FOLDER}. */
    public static void main(String[] arguments) throws IOException {
        TreeSet<String> lines = new TreeSet<>();
        List<Path> inputs = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(arguments[0]))) {
            files.forEach(inputs::add);
        }
        for (Path input : inputs) {
            byte[] bytes = Files.readAllBytes(input);
            Program program = Program.of(bytes);
            lines.add(program.reader() + " " + program.seed() + " "
                    + HexFormat.of().formatHex(bytes, Math.min(2, bytes.length), bytes.length));
        }
        Files.write(file(), lines);
    }
}
