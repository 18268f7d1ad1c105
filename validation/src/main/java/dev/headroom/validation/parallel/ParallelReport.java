package dev.headroom.validation.parallel;

import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import dev.headroom.validation.RecordedRun;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Prints how ranks compare with the recordings of a folder, a line each; {@code -v} shows every phase that differs.
 *
 * <pre>{@code
 * java -cp validation/target/classes:… dev.headroom.validation.parallel.ParallelReport [-v] [FOLDER [ARCHIVES…]]
 * }</pre>
 *
 * Without a folder, the recordings are the project's own. Archives are looked for in each of the folders, in turn.
 */
public final class ParallelReport {
    private static final double CLOSE = 0.01;

    private ParallelReport() {}

    /** See above. */
    public static void main(String[] args) {
        boolean verbose = List.of(args).contains("-v");
        List<Path> folders =
                Arrays.stream(args).filter(a -> !a.equals("-v")).map(Path::of).toList();
        Path folder = folders.isEmpty() ? Fixtures.recordings().resolve("parallel") : folders.get(0);
        List<Path> archives = folders.size() > 1 ? folders.subList(1, folders.size()) : List.of(Fixtures.models());
        int runs = 0;
        int equal = 0;
        int peaks = 0;
        int close = 0;
        for (Path file : Fixtures.recordings(folder)) {
            Optional<RankComparison> compared = print(Recording.read(file), archives, verbose);
            runs++;
            equal += compared.filter(RankComparison::equal).isPresent() ? 1 : 0;
            peaks += compared.filter(c -> within(c, 0)).isPresent() ? 1 : 0;
            close += compared.filter(c -> within(c, CLOSE)).isPresent() ? 1 : 0;
        }
        System.out.printf(
                Locale.ROOT,
                "%d runs: peaks of %d equal, of %d within 1 %%; %d equal in every phase%n",
                runs,
                peaks,
                close,
                equal);
    }

    private static boolean within(RankComparison compared, double error) {
        return compared.outOfMemory().equal() && compared.peaks().stream().allMatch(p -> p.error() <= error);
    }

    private static Optional<RankComparison> print(Recording recording, List<Path> archives, boolean verbose) {
        try {
            RecordedRun run = new RecordedRun(recording);
            Path archive = archives.stream()
                    .flatMap(a -> run.archive(a).stream())
                    .findFirst()
                    .orElseThrow(() -> new UserInputException("no archive of its model"));
            RankComparison compared = RankComparison.of(recording, archive);
            System.out.println(line(recording.name(), compared));
            if (verbose) {
                details(compared).forEach(System.out::println);
            }
            return Optional.of(compared);
        } catch (UserInputException e) {
            System.out.printf(Locale.ROOT, "-  %s: %s%n", recording.name(), e.getMessage());
        } catch (RuntimeException e) {
            System.out.printf(Locale.ROOT, "!  %s: %s%n", recording.name(), e);
            e.printStackTrace(System.out);
        }
        return Optional.empty();
    }

    private static String line(String name, RankComparison compared) {
        long equal =
                compared.phases().stream().filter(RankComparison.Pair::equal).count();
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "%s  %s: %d of %d phases",
                compared.equal() ? "=" : "X",
                name,
                equal,
                compared.phases().size()));
        for (RankComparison.Peak p : compared.peaks()) {
            out.append(String.format(
                    Locale.ROOT,
                    "; allocated %d %+d, reserved %d %+d (%.2f %%)",
                    p.allocated(),
                    p.allocatedDifference(),
                    p.reserved(),
                    p.reservedDifference(),
                    100 * p.error()));
        }
        return out + (compared.outOfMemory().equal() ? "" : "; out of memory: " + compared.outOfMemory());
    }

    private static Stream<String> details(RankComparison compared) {
        return Stream.concat(
                compared.phases().stream()
                        .filter(p -> !p.equal())
                        .flatMap(p -> Stream.of("    recorded  " + p.recorded(), "    predicted " + p.predicted())),
                compared.traces().lines().map(l -> "    " + l));
    }
}
