package dev.headroom.executor.cuda.driver;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where CUDA's libraries are looked for: the folders named in {@code HEADROOM_CUDA_LIBRARIES}, then
 * {@code LD_LIBRARY_PATH}, then Python's {@code nvidia-*} packages in the active environment and in that of the
 * {@code python3} on the path, then the dynamic loader's cache and {@code /usr/local/cuda*}. That is PyTorch's order,
 * whose run path leads to those packages: what is asked and measured here is the cuDNN that PyTorch loads. A later
 * place is only asked for what the earlier ones lack.
 */
public final class LibraryFolders {
    /** The variable, and as a Java property {@code headroom.cuda.libraries}, that is asked first. */
    static final String VARIABLE = "HEADROOM_CUDA_LIBRARIES";

    /** Beside cuDNN's package; their names tell for which CUDA both are, which cuDNN's own does not. */
    private static final String BLAS = "libcublasLt.so.13";

    private static final String OLDER_BLAS = "libcublasLt.so.12";

    private static final int SECONDS = 10;
    private static final String PYTHON_SITES =
            "import site; print('\\n'.join(site.getsitepackages() + [site.getusersitepackages()]))";

    private final List<Place> places;

    private record Place(String name, Supplier<List<Path>> folders) {}

    private LibraryFolders(List<Place> places) {
        this.places = places;
    }

    /** The places of this machine, as this process's environment tells them. */
    static LibraryFolders ofThisMachine() {
        String named = System.getProperty("headroom.cuda.libraries", System.getenv(VARIABLE));
        return of(named, System.getenv(), Path.of("/"));
    }

    /**
     * The same places as far as they are known without starting a process, which takes too long for a mere question. A
     * cuDNN for CUDA 12 can be asked, too, though this process could not compute with it.
     */
    static LibraryFolders withoutProcesses() {
        String named = System.getProperty("headroom.cuda.libraries", System.getenv(VARIABLE));
        return of(named, System.getenv(), Path.of("/"), false);
    }

    /**
     * @param named the first folders, separated as in a path; null for none
     * @param environment the process's variables
     * @param root the folder that stands for {@code /}
     */
    static LibraryFolders of(String named, Map<String, String> environment, Path root) {
        return of(named, environment, root, true);
    }

    /**
     * The same.
     *
     * @param processes whether ldconfig and the {@code python3} on the path are asked, else their folders are guessed
     *     and Python's packages for CUDA 12 count
     */
    static LibraryFolders of(String named, Map<String, String> environment, Path root, boolean processes) {
        return new LibraryFolders(List.of(
                new Place(VARIABLE, remembered(() -> split(named))),
                new Place("LD_LIBRARY_PATH", remembered(() -> split(environment.get("LD_LIBRARY_PATH")))),
                new Place("Python's nvidia-* packages", remembered(() -> pythonPackages(environment, processes))),
                new Place("ldconfig", remembered(() -> loaderCache(root, processes))),
                new Place(
                        root.resolve("usr/local") + "/cuda*", remembered(() -> toolkits(root.resolve("usr/local"))))));
    }

    /** The first file of this name. */
    Optional<Path> find(String file) {
        for (Place place : places) {
            for (Path folder : place.folders().get()) {
                Path candidate = folder.resolve(file);
                if (Files.isRegularFile(candidate)) {
                    return Optional.of(candidate.toAbsolutePath());
                }
            }
        }
        return Optional.empty();
    }

    /** The places in one line, for messages. */
    String describe() {
        return String.join(", ", places.stream().map(Place::name).toList());
    }

    private static Supplier<List<Path>> remembered(Supplier<List<Path>> source) {
        return new Supplier<>() {
            private @Nullable List<Path> folders;

            @Override
            public synchronized List<Path> get() {
                if (folders == null) {
                    folders = source.get();
                }
                return folders;
            }
        };
    }

    private static List<Path> split(@Nullable String folders) {
        List<Path> paths = new ArrayList<>();
        for (String folder : folders == null ? new String[0] : folders.split(File.pathSeparator)) {
            if (!folder.isBlank()) {
                path(folder).ifPresent(paths::add);
            }
        }
        return paths;
    }

    private static Optional<Path> path(String text) {
        try {
            return Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** The folders of the dynamic loader's cache; a distribution without the command gets the usual folders. */
    private static List<Path> loaderCache(Path root, boolean processes) {
        Set<Path> folders = new LinkedHashSet<>();
        Path ldconfig = root.resolve("sbin/ldconfig");
        if (!processes) {
            folders.addAll(loaderFolders(root.resolve("etc/ld.so.conf.d")));
        } else if (Files.isExecutable(ldconfig)) {
            for (String line : output(List.of(ldconfig.toString(), "-p"))) {
                int arrow = line.indexOf("=> /");
                if (arrow >= 0 && line.contains("x86-64")) {
                    path(line.substring(arrow + 3)).map(Path::getParent).ifPresent(folders::add);
                }
            }
        }
        for (String folder : List.of("usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/lib", "usr/lib/wsl/lib")) {
            folders.add(root.resolve(folder));
        }
        return List.copyOf(folders);
    }

    /** The folders that the loader's configuration names. */
    private static List<Path> loaderFolders(Path configuration) {
        List<Path> folders = new ArrayList<>();
        for (Path file : matching(configuration, "*.conf")) {
            try {
                for (String line : Files.readAllLines(file)) {
                    if (line.startsWith("/")) {
                        path(line.strip()).ifPresent(folders::add);
                    }
                }
            } catch (IOException e) {
                // A file that cannot be read names nothing for us.
            }
        }
        return folders;
    }

    private static List<Path> toolkits(Path local) {
        List<Path> folders = new ArrayList<>(matching(local, "cuda*", "lib64"));
        folders.addAll(matching(local, "cuda*", "targets", "x86_64-linux", "lib"));
        return folders;
    }

    private static List<Path> pythonPackages(Map<String, String> environment, boolean processes) {
        Set<Path> sites = new LinkedHashSet<>();
        for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
            Optional<Path> home = Optional.ofNullable(environment.get(variable)).flatMap(LibraryFolders::path);
            home.ifPresent(h -> sites.addAll(matching(h, "lib", "python3*", "site-packages")));
        }
        for (String folder :
                split(environment.get("PATH")).stream().map(Path::toString).toList()) {
            Path python = Path.of(folder, "python3");
            if (Files.isExecutable(python)) {
                if (processes) {
                    for (String site : output(List.of(python.toString(), "-c", PYTHON_SITES))) {
                        path(site).ifPresent(sites::add);
                    }
                } else {
                    sites.addAll(usualSites(python, environment));
                }
                break;
            }
        }
        List<Path> folders = new ArrayList<>();
        for (Path site : sites) {
            List<Path> packages = matching(site, "nvidia", "*", "lib");
            if (!processes || has(packages, BLAS) || !has(packages, OLDER_BLAS)) {
                folders.addAll(packages);
            }
        }
        return folders;
    }

    private static boolean has(List<Path> folders, String file) {
        return folders.stream().anyMatch(folder -> Files.exists(folder.resolve(file)));
    }

    /** Where a Python keeps packages unless it is told otherwise: beside it, and in the user's home. */
    private static Set<Path> usualSites(Path python, Map<String, String> environment) {
        Set<Path> sites = new LinkedHashSet<>();
        Path home = Objects.requireNonNull(python.toAbsolutePath().getParent()).getParent();
        for (String packages : List.of("site-packages", "dist-packages")) {
            if (home != null) {
                sites.addAll(matching(home, "lib", "python3*", packages));
            }
        }
        path(environment.getOrDefault("HOME", "."))
                .ifPresent(h -> sites.addAll(matching(h, ".local", "lib", "python3*", "site-packages")));
        return sites;
    }

    /** Existing folders below a folder, one name pattern for each level, later names first. */
    private static List<Path> matching(Path folder, String... patterns) {
        List<Path> level = List.of(folder);
        for (String pattern : patterns) {
            List<Path> next = new ArrayList<>();
            for (Path parent : level) {
                next.addAll(children(parent, pattern));
            }
            level = next;
        }
        return level;
    }

    private static List<Path> children(Path folder, String pattern) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder, pattern)) {
            children.forEach(found::add);
        } catch (IOException | DirectoryIteratorException e) {
            // A folder that cannot be read holds nothing for us.
            return List.of();
        }
        found.sort(Collections.reverseOrder());
        return found;
    }

    private static List<String> output(List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            return text.lines().toList();
        } catch (IOException e) {
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
