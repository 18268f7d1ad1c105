package dev.headroom.validation.fuzz;

import dev.headroom.app.command.Main;
import dev.headroom.fixtures.Fixtures;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Gives a file to its reader and says what is wrong with the answer. */
final class Judge implements AutoCloseable {
    /** What a line for a user never says. */
    private static final Pattern INNARDS = Pattern.compile(
            "Exception\\b|java\\.|com\\.fasterxml|out of bounds for|/ by zero|Cannot invoke|because \"|overflow$");

    /** Commands that neither run for ever nor write where they are told. */
    private static final List<String> COMMANDS =
            List.of("predict", "explain", "advise", "devices", "models", "operators", "replay", "serve-capacity");

    private static final List<String> WRITING = List.of("--report", "--snapshot", "--plot", "-o", "--output");

    private final Path folder;
    private final Posting service = new Posting();

    Judge() throws IOException {
        folder = Files.createTempDirectory("fuzz");
        for (String beside : List.of(
                "plans/net.pt2",
                "loops/generator.pt2",
                "loops/discriminator.pt2",
                "loops/classifier.pt2",
                "loops/perceptron.pt2",
                "models/small/mlp-xor.pt2")) {
            Path from = Fixtures.folder().resolve(beside);
            Files.copy(from, folder.resolve(from.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** What an answer is blamed for, in words that are equal for equal defects; empty when it is fine. */
    Optional<String> defect(Reader reader, byte[] bytes) throws IOException {
        if (reader.call().startsWith("POST ")) {
            return service.defect(reader.call().substring(5), bytes);
        }
        Path own = Files.createDirectories(folder.resolve("own"));
        try {
            Path file = own.resolve(reader.file());
            Files.write(file, bytes);
            if (reader == Reader.LOOP || reader == Reader.GRID || reader == Reader.TABLE) {
                file = Files.move(file, folder.resolve(reader.file()), StandardCopyOption.REPLACE_EXISTING);
            }
            List<String> arguments = arguments(reader, file, bytes);
            return arguments.isEmpty() ? Optional.empty() : run(arguments);
        } finally {
            delete(own);
        }
    }

    private List<String> arguments(Reader reader, Path file, byte[] bytes) {
        if (reader == Reader.COMMAND_LINE) {
            List<String> words = new ArrayList<>(
                    new String(bytes, StandardCharsets.UTF_8).lines().toList());
            words.replaceAll(word ->
                    word.endsWith(".pt2") ? folder.resolve("mlp-xor.pt2").toString() : word);
            boolean runs = !words.isEmpty()
                    && COMMANDS.contains(words.get(0))
                    && !words.contains("")
                    && words.stream().noneMatch(word -> WRITING.stream().anyMatch(word::startsWith))
                    && words.stream().noneMatch(word -> word.matches("(--\\w+=)?\\d{4,}"));
            return runs ? words : List.of();
        }
        return Stream.of(reader.call().split(" "))
                .map(word -> switch (word) {
                    case "{}" -> file.toString();
                    case "." -> file.getParent().toString();
                    case "out.csv", "out.jsonl" ->
                        folder.resolve("own").resolve(word).toString();
                    default -> word.endsWith(".pt2") ? folder.resolve(word).toString() : word;
                })
                .toList();
    }

    private static Optional<String> run(List<String> arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
        String said = err.toString().strip();
        // A sweep says in its table what was wrong with a row.
        boolean sweep = arguments.get(0).equals("sweep") && !out.toString().isBlank();
        if (status == 2 && !sweep && (said.isEmpty() || said.contains("\n"))) {
            return Optional.of("not one line: " + said.lines().limit(2).toList());
        }
        if (status == 1 || status == 2 && INNARDS.matcher(said).find()) {
            return Optional.of(said.replaceAll("^.*?: defect: |\\(.*", "").replaceAll("\\S*/\\S*|\\d+", "…"));
        }
        return Optional.empty();
    }

    private static void delete(Path folder) throws IOException {
        List<Path> paths;
        try (Stream<Path> all = Files.walk(folder)) {
            paths = new ArrayList<>(all.toList());
        }
        for (int i = paths.size() - 1; i >= 0; i--) {
            Files.delete(paths.get(i));
        }
    }

    @Override
    public void close() throws IOException {
        service.close();
        delete(folder);
    }
}
