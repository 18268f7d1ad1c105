package dev.headroom.executor.cuda.driver;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bytedeco.cuda.global.cublas;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.cuda.global.nvml;
import org.bytedeco.cuda.global.nvrtc;
import org.bytedeco.javacpp.Loader;
import org.jspecify.annotations.Nullable;

/**
 * Loads NVIDIA's libraries, each once in a process, from where {@link LibraryFolders} finds them. They are loaded by
 * absolute path and before the Java bindings, whose own references by soname then find them loaded; so no
 * {@code LD_LIBRARY_PATH} is needed.
 */
public final class CudaLibraries {
    private static final Set<CudaLibrary> LOADED = EnumSet.noneOf(CudaLibrary.class);

    private static final CudaLibrary[] DNN = {
        CudaLibrary.DNN_GRAPH, CudaLibrary.DNN_OPS, CudaLibrary.DNN_CNN, CudaLibrary.DNN_ADV
    };

    /** What cuDNN 9 opens of cuBLAS, for CUDA 13 or 12, and the folders of its run path, from its own. */
    private static final List<String> BLAS_FOR_DNN = List.of("libcublasLt.so.13", "libcublasLt.so.12");

    private static final List<String> BESIDE_DNN = List.of("", "../../cu13/lib", "../../cublas/lib");

    private static final List<String> DRIVER_DEVICES = List.of("/dev/nvidiactl", "/dev/dxg");

    /** The property with which the bindings are told to load no libraries. */
    private static final String LOADS_LIBRARIES = "org.bytedeco.javacpp.loadlibraries";

    static {
        // JavaCPP refuses native memory when the process is larger than a limit that it derives from the heap's size.
        // The CUDA libraries alone may exceed that.
        if (System.getProperty("org.bytedeco.javacpp.maxPhysicalBytes") == null) {
            System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", "0");
        }
    }

    private CudaLibraries() {}

    /**
     * Loads the driver and the CUDA runtime.
     *
     * @throws CudaException when one of them is missing: one line with what to do
     */
    public static void loadRuntime() {
        load(cudart.class, CudaLibrary.DRIVER, CudaLibrary.RUNTIME);
    }

    /** Loads cuBLAS. */
    public static void loadBlas() {
        loadRuntime();
        load(cublas.class, CudaLibrary.BLAS_LT, CudaLibrary.BLAS);
    }

    /** Loads cuDNN, and cuBLAS that it needs. */
    public static void loadDnn() {
        loadBlas();
        load(cudnn.class, DNN);
    }

    /**
     * Loads cuDNN for questions that need neither a GPU nor a driver. The binding's own loader would insist on the CUDA
     * runtime, whose binding needs the driver; cuDNN's alone needs neither.
     *
     * @throws CudaException when a library is missing: one line with what to do
     */
    public static synchronized void loadDnnHeuristics() {
        LibraryFolders folders = LibraryFolders.withoutProcesses();
        findBlasForDnn(folders);
        loadOnce(folders, DNN);
        try {
            Loader.load(Loader.class);
            withoutLoading(cudnn.class);
            String binding = "/org/bytedeco/cuda/" + Loader.getPlatform() + "/" + System.mapLibraryName("jnicudnn");
            System.load(Loader.cacheResource(binding).getPath());
        } catch (LinkageError | IOException e) {
            throw new CudaException("the Java binding of cuDNN cannot be loaded: " + line(e), e);
        }
    }

    /**
     * Sees to it that cuDNN will find cuBLAS, without which it ends the whole process at the first question that needs
     * it. It looks in folders beside its own, which need no help; what only this class finds is loaded for it.
     */
    static void findBlasForDnn(LibraryFolders folders) {
        Path own = locate(CudaLibrary.DNN_GRAPH, folders).resolveSibling("");
        for (String beside : BESIDE_DNN) {
            if (BLAS_FOR_DNN.stream()
                    .anyMatch(file -> Files.exists(own.resolve(beside).resolve(file)))) {
                return;
            }
        }
        for (String file : BLAS_FOR_DNN) {
            Optional<Path> found = folders.find(file);
            if (found.isPresent()) {
                load(CudaLibrary.BLAS_LT, found.get());
                return;
            }
        }
        locate(CudaLibrary.BLAS_LT, folders); // says what is missing
    }

    /** Initialises a binding's class with the loading of libraries switched off. */
    private static void withoutLoading(Class<?> binding) {
        String before = System.setProperty(LOADS_LIBRARIES, "false");
        try {
            Class.forName(binding.getName(), true, binding.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new LinkageError(binding.getName(), e);
        } finally {
            if (before == null) {
                System.clearProperty(LOADS_LIBRARIES);
            } else {
                System.setProperty(LOADS_LIBRARIES, before);
            }
        }
    }

    /** Whether the driver's library and the device that it talks to a GPU through (of WSL the second) are there. */
    public static boolean hasDriver() {
        return DRIVER_DEVICES.stream().map(Path::of).anyMatch(Files::exists)
                && LibraryFolders.withoutProcesses()
                        .find(CudaLibrary.DRIVER.file())
                        .isPresent();
    }

    /** Loads NVRTC, the compiler of kernels. It needs no device, but its Java binding needs the driver's library. */
    public static void loadCompiler() {
        loadRuntime();
        load(nvrtc.class, CudaLibrary.COMPILER);
    }

    /** Loads NVML. */
    public static void loadManagement() {
        loadRuntime();
        load(nvml.class, CudaLibrary.MANAGEMENT);
    }

    private static synchronized void load(Class<?> binding, CudaLibrary... libraries) {
        loadOnce(LibraryFolders.ofThisMachine(), libraries);
        try {
            Loader.load(binding);
        } catch (LinkageError e) {
            throw new CudaException(
                    "the Java binding of " + libraries[libraries.length - 1].file() + " cannot be loaded: " + line(e),
                    e);
        }
    }

    private static void loadOnce(LibraryFolders folders, CudaLibrary... libraries) {
        for (CudaLibrary library : libraries) {
            if (!LOADED.contains(library)) {
                load(library, locate(library, folders));
                LOADED.add(library);
            }
        }
    }

    /**
     * @return the library's file
     * @throws CudaException when no folder has it
     */
    static Path locate(CudaLibrary library, LibraryFolders folders) {
        return folders.find(library.file())
                .orElseThrow(() -> new CudaException(library.file() + " was not found (looked in " + folders.describe()
                        + "); " + library.advice() + ", or name its folder in " + LibraryFolders.VARIABLE));
    }

    private static void load(CudaLibrary library, Path file) {
        try {
            if (library == CudaLibrary.COMPILER) {
                loadBuiltins(file.getParent());
            }
            System.load(file.toString());
        } catch (LinkageError e) {
            throw new CudaException(file + " cannot be loaded: " + line(e) + "; " + library.advice(), e);
        }
    }

    /** NVRTC opens its built-in functions by name alone; it finds them when they are loaded already. */
    private static void loadBuiltins(@Nullable Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "libnvrtc-builtins.so.13.*")) {
            for (Path file : files) {
                System.load(file.toAbsolutePath().toString());
            }
        } catch (IOException e) {
            throw new CudaException(folder + " cannot be read: " + line(e), e);
        }
    }

    /** The first line of the innermost cause, which names the file that could not be loaded. */
    private static String line(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return message == null
                ? e.getClass().getSimpleName()
                : message.lines().findFirst().orElse("").strip();
    }
}
