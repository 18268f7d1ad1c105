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
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Gives a file to its reader and says what is wrong with the answer. */
final class Judge implements AutoCloseable {
    /** What a line for a user never says. */
    private static final Pattern INNARDS = Pattern.compile(
            "Exception\\b|java\\.|com\\.fasterxml|out of bounds for|/ by zero|Cannot invoke|because \"|overflow$");

    /** Words of the file that the line is about. */
    private static final Pattern QUOTED = Pattern.compile("'[^']*'");

    /** Commands that neither run for ever nor write where they are told. */
    private static final List<String> COMMANDS =
            List.of("predict", "explain", "advise", "devices", "models", "operators", "replay", "serve-capacity");

    /** Settings that say how often something is done. */
    private static final List<String> COUNTS =
            List.of("steps", "epochs", "generate", "accumulate", "max-iter", "eval-batches", "microbatches");

    /**
     * A search for what a card serves plays each layer about two hundred times, advice dozens of times, a model that makes
     * tokens once for each: a hundred layers and more take the time that they ask for.
     */
    private static final Pattern DEEP = Pattern.compile("num_hidden_layers(=|\":\\s*)0*[1-9]\\d{2,}\\b");

    private static final Set<Reader> REPEATING =
            EnumSet.of(Reader.CAPACITY, Reader.GENERATED, Reader.ADVICE, Reader.COMMAND_LINE);

    /** Linux starts no program with a longer argument (MAX_ARG_STRLEN). */
    private static final int LONGEST_WORD = 128 << 10;

    private static final List<String> WRITING = List.of("--report", "--snapshot", "--plot", "-o", "--output");

    /** What lies beside the file of a reader of folders: its name, and the fixture. */
    private static final Map<Reader, Map<String, String>> BESIDE = Map.of(
            Reader.WEIGHTS, Map.of("config.json", "models/configs/llama-tiny.json"),
            Reader.RECORDING, Map.of("cnn-small.pt2", "models/cnn-small.pt2", "mlp-xor.pt2", "models/mlp-xor.pt2"));

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
                "models/configs/llama-tiny.json",
                "real/archives/vgg11.pt2",
                "models/small/mlp-xor.pt2")) {
            Path from = Fixtures.folder().resolve(beside);
            Files.copy(from, folder.resolve(from.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /**
     * What was said to a file.
     *
     * @param status 0 or 3 with a result, 2 with a refusal, 1 for a defect
     * @param out the result
     * @param said the line of a refusal
     */
    record Answer(int status, String out, String said) {
        /** What it is blamed for, in words that are equal for equal defects; empty when it is fine. */
        Optional<String> defect() {
            if (status == 2 && (said.isEmpty() || said.contains("\n"))) {
                return Optional.of("not one line: " + said.lines().limit(2).toList());
            }
            if (status == 1
                    || status == 2
                            && INNARDS.matcher(QUOTED.matcher(said).replaceAll("''"))
                                    .find()) {
                return Optional.of(said.replaceAll("^.*?: defect: |\\(.*", "").replaceAll("\\S*/\\S*|\\d+", "…"));
            }
            return Optional.empty();
        }

        boolean isResult() {
            return status == 0 || status == 3;
        }
    }

    /** What is wrong with the answer to a file, if anything is. */
    Optional<String> defect(Reader reader, byte[] bytes) throws IOException {
        return answer(reader, bytes).defect();
    }

    /** Gives the file to its reader. */
    Answer answer(Reader reader, byte[] bytes) throws IOException {
        if (REPEATING.contains(reader) && DEEP.matcher(text(bytes)).find()) {
            return new Answer(2, "", "left out");
        }
        if (reader.call().startsWith("POST ")) {
            return service.answer(reader.call().substring(5), bytes);
        }
        Path own = Files.createDirectories(folder.resolve("own"));
        try {
            Path file = own.resolve(reader.file());
            Files.write(file, bytes);
            for (Map.Entry<String, String> beside :
                    BESIDE.getOrDefault(reader, Map.of()).entrySet()) {
                Files.copy(Fixtures.folder().resolve(beside.getValue()), own.resolve(beside.getKey()));
            }
            if (reader == Reader.LOOP || reader == Reader.GRID || reader == Reader.TABLE) {
                file = Files.move(file, folder.resolve(reader.file()), StandardCopyOption.REPLACE_EXISTING);
            }
            List<String> arguments = arguments(reader, file, bytes);
            return arguments.isEmpty() ? new Answer(2, "", "left out") : run(arguments);
        } finally {
            delete(own);
        }
    }

    private List<String> arguments(Reader reader, Path file, byte[] bytes) {
        if (reader == Reader.COMMAND_LINE) {
            List<String> words = new ArrayList<>(text(bytes).lines().toList());
            words.replaceAll(this::beside);
            boolean runs = !words.isEmpty()
                    && COMMANDS.contains(words.get(0))
                    && words.stream().noneMatch(word -> word.isEmpty() || word.length() > LONGEST_WORD)
                    && words.stream().noneMatch(word -> WRITING.stream().anyMatch(word::startsWith))
                    && !asksForMuch(words);
            return runs ? words : List.of();
        }
        return Stream.of(reader.call().split(" "))
                .map(word -> switch (word) {
                    case "{}" -> file.toString();
                    case "." -> file.getParent().toString();
                    case "beside" -> folder.toString();
                    case "out.csv", "out.jsonl" ->
                        folder.resolve("own").resolve(word).toString();
                    default -> word.endsWith(".pt2") ? folder.resolve(word).toString() : word;
                })
                .toList();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Whether so many repetitions are asked for that they take their time. */
    private static boolean asksForMuch(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            String[] parts = words.get(i).split("=", 2);
            String value = parts.length > 1 ? parts[1] : i + 1 < words.size() ? words.get(i + 1) : "";
            if (parts[0].startsWith("--") && COUNTS.contains(parts[0].substring(2)) && isLarge(value)) {
                return true;
            }
        }
        return false;
    }

    /** Three digits or more: no pattern, as Jazzer looks into each step of matching one. */
    private static boolean isLarge(String number) {
        int from = 0;
        while (from < number.length() && number.charAt(from) == '0') {
            from++;
        }
        int to = from;
        while (to < number.length() && Character.isDigit(number.charAt(to))) {
            to++;
        }
        return to - from > 2;
    }

    /** A word of a command line, with the path of what it names among the files that lie there. */
    private String beside(String word) {
        if (word.endsWith(".pt2")) {
            return folder.resolve("mlp-xor.pt2").toString();
        }
        return word.endsWith("config.json") ? folder.resolve("llama-tiny.json").toString() : word;
    }

    private static Answer run(List<String> arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
        String said = err.toString().strip();
        // A sweep says in its table what was wrong with a row.
        boolean told = arguments.get(0).equals("sweep") && !out.toString().isBlank();
        return new Answer(status == 2 && told ? 0 : status, out.toString(), said);
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
