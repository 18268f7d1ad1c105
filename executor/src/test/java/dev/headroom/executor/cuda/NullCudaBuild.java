package dev.headroom.executor.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.cuda.global.nvml;
import org.bytedeco.cuda.global.nvrtc;

/**
 * Compiles the C sources of the null CUDA libraries into a folder below the project's {@code target}, once for each state of the
 * sources. Functions of the Java bindings that no source defines become stubs that report "not supported", since
 * calling a symbol that is missing ends the process.
 */
final class NullCudaBuild {
    private static final List<String> HEADERS =
            List.of("null.h", "number.h", "dnn.h", "dnn_backend.h", "dnn_rnn.h", "kernel.h");
    private static final List<Library> LIBRARIES = List.of(
            new Library("libcuda.so.1", cudart.class, "cu[A-Z].*", 801, "driver.c", "memory.c", "module.c"),
            new Library("libcudart.so.13", cudart.class, "cuda.*", 801, "runtime.c"),
            new Library("libnvidia-ml.so.1", nvml.class, "nvml.*", 3, "nvml.c"),
            new Library("libnvrtc.so.13", nvrtc.class, "nvrtc.*", 11, "nvrtc.c"),
            new Library("libcublasLt.so.13", cublas.class, "cublasLt.*", 15),
            new Library("libcublas.so.13", cublas.class, "cublas(?!Lt).*", 15, "blas.c"),
            new Library(
                    "libcudnn_graph.so.9",
                    cudnn.class,
                    "cudnn.*",
                    3000,
                    "dnn.c",
                    "dnn_backend.c",
                    "dnn_operation.c",
                    "dnn_plans.c",
                    "dnn_conv.c",
                    "dnn_norm.c",
                    "dnn_rnn.c",
                    "dnn_rnn_cell.c",
                    "dnn_rnn_run.c"),
            new Library("libcudnn_ops.so.9", null, "", 0),
            new Library("libcudnn_cnn.so.9", null, "", 0),
            new Library("libcudnn_adv.so.9", null, "", 0));

    private NullCudaBuild() {}

    /** @param unsupported the status of its stubs */
    private record Library(String soname, Class<?> binding, String names, int unsupported, List<String> sources) {
        Library(String soname, Class<?> binding, String names, int unsupported, String... sources) {
            this(soname, binding, names, unsupported, List.of(sources));
        }
    }

    static boolean hasCompilers() {
        try {
            return run(Path.of("."), List.of("gcc", "--version")).isEmpty()
                    && run(Path.of("."), List.of("g++", "--version")).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    /** The folder of the libraries, built if need be. */
    static Path build() throws IOException {
        List<String> files = new ArrayList<>(HEADERS);
        LIBRARIES.forEach(library -> files.addAll(library.sources()));
        CRC32 sum = new CRC32();
        for (String file : files) {
            sum.update(source(file));
        }
        Path all = Files.createDirectories(top().resolve("target/nullcuda"));
        Path folder = all.resolve(Long.toHexString(sum.getValue()));
        // Test processes may start together.
        try (FileChannel channel =
                        FileChannel.open(all.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            if (lock.isValid() && !Files.exists(folder.resolve("built"))) {
                Files.createDirectories(folder);
                for (String file : files) {
                    Files.write(folder.resolve(file), source(file));
                }
                for (Library library : LIBRARIES) {
                    compile(folder, library);
                }
                Files.createFile(folder.resolve("built"));
            }
        }
        return folder;
    }

    /** The folder of the whole project: modules share the libraries, and the kernels that tests compile there. */
    private static Path top() {
        Path top = Path.of("").toAbsolutePath();
        while (top.getParent() != null && Files.exists(top.resolveSibling("pom.xml"))) {
            top = top.getParent();
        }
        return top;
    }

    private static void compile(Path folder, Library library) throws IOException {
        String soname = library.soname();
        // Bindings ask some libraries for symbol versions named like the library; one that has a version of this name
        // satisfies them with symbols of no version. The driver's libraries have none.
        String version = soname.endsWith(".1") ? "" : soname + " { global: null_version; };\n";
        Files.writeString(folder.resolve(soname + ".map"), version);
        Files.writeString(folder.resolve(soname + ".stubs.c"), stubs(library));
        List<String> command = new ArrayList<>(List.of(
                "gcc",
                "-std=gnu11",
                "-O1",
                "-w",
                "-fPIC",
                "-shared",
                "-Wl,-soname," + soname,
                "-Wl,-rpath,$ORIGIN",
                "-o",
                soname));
        if (!version.isEmpty()) {
            command.add("-Wl,--version-script," + soname + ".map");
        }
        command.addAll(library.sources());
        command.add(soname + ".stubs.c");
        if (!soname.equals("libcuda.so.1")) {
            command.addAll(List.of("-L.", "-l:libcuda.so.1"));
        }
        command.addAll(List.of("-lm", "-ldl", "-lpthread"));
        String errors = run(folder, command);
        if (!errors.isEmpty()) {
            throw new IOException("the null CUDA library " + soname + " does not compile: " + errors);
        }
    }

    /** Weak names of one stub for every function of the binding; the library's own functions win over them. */
    private static String stubs(Library library) {
        Set<String> names = new TreeSet<>();
        Method[] methods =
                library.binding() == null ? new Method[0] : library.binding().getDeclaredMethods();
        for (Method method : methods) {
            if (Modifier.isNative(method.getModifiers()) && method.getName().matches(library.names())) {
                names.add(method.getName());
                if (library.soname().startsWith("libcuda.")) {
                    // The driver's header renames some functions to their newer versions.
                    List.of("_v2", "_v3", "_v4").forEach(version -> names.add(method.getName() + version));
                }
            }
        }
        StringBuilder code = new StringBuilder("const int null_version = 1;\nlong null_unsupported(void) { return ")
                .append(library.unsupported())
                .append("; }\n");
        names.forEach(name -> code.append("long ")
                .append(name)
                .append("(void) __attribute__((weak, alias(\"null_unsupported\")));\n"));
        return code.toString();
    }

    /** Runs a command; what it printed when it failed, else an empty text. */
    private static String run(Path folder, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                return command.get(0) + " does not end";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return command.get(0) + " was interrupted";
        }
        return process.exitValue() == 0 ? "" : "exit status " + process.exitValue() + ": " + output;
    }

    private static byte[] source(String file) throws IOException {
        try (InputStream in = NullCudaBuild.class.getResourceAsStream("/nullcuda/" + file)) {
            return in.readAllBytes();
        }
    }
}
