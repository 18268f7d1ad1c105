package dev.headroom.validation.generate;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.sessions.JqwikSession;

/** {@code WriteCases FILE COUNT SEED}: random cases, one JSON object a line, for {@code fixtures/random}. */
final class WriteCases {
    private WriteCases() {}

    public static void main(String[] args) {
        if (args.length != 3) {
            System.err.println("usage: WriteCases FILE COUNT SEED");
            System.exit(2);
        }
        JqwikSession.run(() -> write(Path.of(args[0]), Integer.parseInt(args[1]), Long.parseLong(args[2])));
    }

    private static void write(Path file, int count, long seed) {
        RandomGenerator<RandomCase> cases = Generators.cases().generator(1000);
        Random random = new Random(seed);
        ObjectMapper json = new ObjectMapper();
        List<String> lines = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                lines.add(json.writeValueAsString(cases.next(random).value()));
            }
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
