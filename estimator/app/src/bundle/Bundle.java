import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the runtime bundle: a Java of the modules that are needed, the jars, the start script, as one tar.gz.
 *
 * <p>Arguments: the module's folder, the name of the bundle.
 */
public final class Bundle {
    /** CUDA's libraries that the executor calls; javacpp's bindings of the others are left out. */
    private static final Set<String> BINDINGS = Set.of("cudart", "cublas", "cublasLt", "cudnn", "nvrtc", "nvml");

    /** Only parts of Jackson and picocli that nothing here uses want these, and do without them. */
    private static final Set<String> NOT_NEEDED = Set.of("java.desktop", "java.sql");

    /** Bytes that the bundle may have. */
    private static final long MOST = 64L << 20;

    private final Path module;
    private final Path target;
    private final Path root;

    private Bundle(Path module, String name) {
        this.module = module;
        this.target = module.resolve("target");
        this.root = target.resolve("bundle").resolve(name);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        new Bundle(Path.of(args[0]), args[1]).make();
    }

    private void make() throws IOException, InterruptedException {
        delete(root);
        Path lib = Files.createDirectories(root.resolve("lib"));
        List<Path> jars = jars();
        for (Path jar : jars) {
            copy(jar, lib.resolve(jar.getFileName().toString()));
        }
        String modules = modules(jars);
        run(
                "jlink",
                "--add-modules",
                modules,
                "--strip-debug",
                "--no-header-files",
                "--no-man-pages",
                "--compress=2",
                "--output",
                root.resolve("runtime").toString());
        Path start = root.resolve("headroom");
        Files.copy(module.resolve("src/bundle/headroom"), start);
        start.toFile().setExecutable(true, false);
        Files.copy(module.resolve("../../LICENSE"), root.resolve("LICENSE"));
        Path archive = target.resolve(root.getFileName() + ".tar.gz");
        tar(archive);
        long bytes = Files.size(archive);
        System.out.println(archive.toAbsolutePath().normalize() + ": " + (bytes >> 20) + " MiB, with " + modules);
        if (bytes >= MOST) {
            throw new IOException("the bundle has " + bytes + " bytes, more than " + MOST);
        }
    }

    private List<Path> jars() throws IOException {
        List<Path> jars = new ArrayList<>();
        try (Stream<Path> own = Files.list(target);
                Stream<Path> libraries = Files.list(target.resolve("lib"))) {
            own.filter(p -> p.getFileName().toString().matches("app-[^-]+(-SNAPSHOT)?\\.jar"))
                    .forEach(jars::add);
            libraries.filter(p -> p.toString().endsWith(".jar")).sorted().forEach(jars::add);
        }
        return jars;
    }

    /**
     * The modules of Java that the jars refer to. They are asked as a class path: as modules they would need the
     * modules that they require, some of which nothing here uses and the build leaves out.
     */
    private static String modules(List<Path> jars) {
        String all = jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        String printed = run(
                "jdeps",
                "--print-module-deps",
                "--ignore-missing-deps",
                "--multi-release",
                "17",
                "-q",
                "--recursive",
                "--class-path",
                all,
                jars.get(0).toString());
        // Warnings come first.
        String last = printed.lines().reduce((a, b) -> b).orElseThrow();
        return Arrays.stream(last.strip().split(","))
                .filter(m -> !NOT_NEEDED.contains(m))
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .collect(Collectors.joining(","));
    }

    private static void copy(Path jar, Path to) throws IOException {
        if (!jar.getFileName().toString().matches("cuda-.*-linux-.*\\.jar")) {
            Files.copy(jar, to);
            return;
        }
        try (JarFile from = new JarFile(jar.toFile());
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(to))) {
            for (Enumeration<JarEntry> entries = from.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                if (!needed(entry.getName())) {
                    continue;
                }
                JarEntry copy = new JarEntry(entry.getName());
                copy.setLastModifiedTime(FileTime.fromMillis(entry.getTime()));
                out.putNextEntry(copy);
                try (InputStream in = from.getInputStream(entry)) {
                    in.transferTo((OutputStream) out);
                }
                out.closeEntry();
            }
        }
    }

    private static boolean needed(String entry) {
        String file = entry.substring(entry.lastIndexOf('/') + 1);
        boolean binding = file.startsWith("libjni") && file.endsWith(".so");
        return !binding || BINDINGS.contains(file.substring("libjni".length(), file.length() - ".so".length()));
    }

    private static String run(String tool, String... arguments) {
        ToolProvider provider = ToolProvider.findFirst(tool)
                .orElseThrow(() -> new IllegalStateException("this Java has no " + tool + "; build with a whole JDK"));
        StringWriter out = new StringWriter();
        int status = provider.run(new PrintWriter(out, true), new PrintWriter(out, true), arguments);
        if (status != 0) {
            throw new IllegalStateException(tool + " failed: " + out);
        }
        return out.toString();
    }

    /** With owners and times that do not depend on who builds when. */
    private void tar(Path archive) throws IOException, InterruptedException {
        Process tar = new ProcessBuilder(
                        "tar",
                        "--sort=name",
                        "--owner=0",
                        "--group=0",
                        "--numeric-owner",
                        "--mtime=2026-01-01 00:00:00Z",
                        "-C",
                        root.getParent().toString(),
                        "-czf",
                        archive.toString(),
                        root.getFileName().toString())
                .inheritIO()
                .start();
        if (tar.waitFor() != 0) {
            throw new IOException("tar failed");
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path p : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(p);
            }
        }
    }
}
