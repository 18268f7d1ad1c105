package dev.headroom.validation.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;

/**
 * What Jazzer calls (mvn -Pfuzz verify, an hour): one input after the other. A defect is written with its file below
 * {@value #FOUND} of the working directory; the first one fails, unless {@value #GO_ON} is set.
 */
public final class Fuzzing {
    static final String FOUND = "target/fuzz";

    /** Jazzer's inputs, those of the fixtures among them. */
    static final String CORPUS = "target/fuzz-corpus";

    static final String GO_ON = "headroom.fuzz.goOn";

    private static final long MOST_NANOS = 2_000_000_000L;

    /** Processor time, longer than the service's own limit, at which it must have answered. */
    private static final long HANGS_NANOS = 60_000_000_000L;

    /** What waits for another thread uses no processor time. */
    private static final long WAITS_NANOS = 10 * HANGS_NANOS;

    private static final long LOOKS_MILLIS = 5_000;

    private final Judge judge;
    private final Set<String> known = new HashSet<>();
    private final Timer timer = new Timer("hangs", true);

    Fuzzing() throws IOException {
        judge = new Judge();
    }

    /** Jazzer calls it before the first input: what was kept of earlier hours is there to begin with. */
    public static void fuzzerInitialize() throws IOException {
        Corpus.write(Path.of(CORPUS));
    }

    /** Jazzer's entry. */
    public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
        Only.ONE.one(bytes);
    }

    /** Made with the first input. */
    private static final class Only {
        static final Fuzzing ONE = make();

        private static Fuzzing make() {
            try {
                return new Fuzzing();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Tries one. */
    void one(byte[] bytes) throws IOException {
        Program program = Program.of(bytes);
        byte[] file = program.file();
        TimerTask hangs = watch(program.reader(), file, Thread.currentThread());
        Optional<String> defect;
        try {
            ThreadTimes begun = ThreadTimes.now();
            defect = judge.defect(program.reader(), file);
            if (defect.isEmpty() && begun.longest() > MOST_NANOS) {
                // The first run may have paid for loading and compiling.
                begun = ThreadTimes.now();
                defect = judge.defect(program.reader(), file);
                defect = begun.longest() > MOST_NANOS ? Optional.of("takes more than two seconds") : defect;
            }
        } finally {
            hangs.cancel();
        }
        if (defect.isPresent() && known.add(program.reader() + defect.get())) {
            keep(program.reader(), file, defect.get());
            if (!Boolean.getBoolean(GO_ON)) {
                throw new AssertionError(program.reader() + ": " + defect.get());
            }
        }
    }

    private TimerTask watch(Reader reader, byte[] file, Thread thread) {
        long used = cpu(thread);
        TimerTask hangs = new TimerTask() {
            private long seen = used;
            private long moved = System.nanoTime();

            @Override
            public void run() {
                long now = cpu(thread);
                if (now > seen) { // slow on a busy machine, but it does not wait
                    seen = now;
                    moved = System.nanoTime();
                }
                if (now - used < HANGS_NANOS && System.nanoTime() - moved < WAITS_NANOS) {
                    return;
                }
                StringBuilder stack = new StringBuilder("hangs");
                for (StackTraceElement frame : thread.getStackTrace()) {
                    stack.append("\n  ").append(frame);
                }
                try {
                    keep(reader, file, stack.toString());
                } catch (UncheckedIOException e) {
                    System.err.println(e);
                }
                Runtime.getRuntime().halt(1);
            }
        };
        timer.schedule(hangs, LOOKS_MILLIS, LOOKS_MILLIS);
        return hangs;
    }

    /** Writes a defect and its file. */
    static void keep(Reader reader, byte[] file, String defect) {
        Path folder = Path.of(FOUND, reader.name().toLowerCase(Locale.ROOT));
        String name = hash(file) + "-" + reader.file();
        try {
            Files.createDirectories(folder);
            Files.write(folder.resolve(name), file);
            Files.writeString(folder.resolve(name + ".why"), defect + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.err.println("fuzz: " + reader + " " + name + ": " + defect);
    }

    private static String hash(byte[] file) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(file);
            return new BigInteger(1, digest).toString(36).substring(0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long cpu(Thread thread) {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
    }
}
