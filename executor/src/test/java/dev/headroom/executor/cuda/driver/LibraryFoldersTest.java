package dev.headroom.executor.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryFoldersTest {
    private static final String DNN = "libcudnn_ops.so.9";

    @TempDir
    Path root;

    @Test
    void asksThePlacesInTheirOrder() throws IOException {
        Map<String, String> environment = Map.of(
                "VIRTUAL_ENV",
                root.resolve("venv").toString(),
                "LD_LIBRARY_PATH",
                root.resolve("empty") + File.pathSeparator + root.resolve("mine"));
        assertEquals(Optional.empty(), find(null, environment));
        Path toolkit = file("usr/local/cuda-13.0/lib64");
        assertEquals(Optional.of(toolkit), find(null, environment));
        Path system = file("usr/lib/x86_64-linux-gnu");
        assertEquals(Optional.of(system), find(null, environment));
        Path python = file("venv/lib/python3.12/site-packages/nvidia/cudnn/lib");
        assertEquals(Optional.of(python), find(null, environment));
        Path mine = file("mine");
        assertEquals(Optional.of(mine), find(null, environment));
        Path named = file("named");
        assertEquals(Optional.of(named), find(root.resolve("named").toString(), environment));
    }

    /** Both packages of cuDNN have files of the same names. */
    @Test
    void computesWithACudnnForCuda13AndAsksAnyOfPyTorchs() throws IOException {
        Path older = file("venv/lib/python3.12/site-packages/nvidia/cudnn/lib");
        Path blas = Files.createDirectories(root.resolve("venv/lib/python3.12/site-packages/nvidia/cublas/lib"));
        Files.createFile(blas.resolve("libcublasLt.so.12"));
        Path system = file("usr/lib/x86_64-linux-gnu");
        Map<String, String> environment =
                Map.of("VIRTUAL_ENV", root.resolve("venv").toString());
        assertEquals(Optional.of(system), find(null, environment));
        assertEquals(
                Optional.of(older),
                LibraryFolders.of(null, environment, root, false).find(DNN));
        Path newer = Files.createDirectories(root.resolve("venv/lib/python3.12/site-packages/nvidia/cu13/lib"));
        Files.createFile(newer.resolve("libcublasLt.so.13"));
        assertEquals(Optional.of(older), find(null, environment));
    }

    @Test
    void asksThePythonOfThePathForItsPackages() throws IOException {
        Path site = root.resolve("site");
        Path library = file("site/nvidia/cudnn/lib");
        Path python = root.resolve("bin/python3");
        Files.createDirectories(python.getParent());
        Files.writeString(python, "#!/bin/sh\necho " + site + "\n");
        assertTrue(python.toFile().setExecutable(true));
        assertEquals(
                Optional.of(library),
                find(null, Map.of("PATH", root.resolve("bin").toString())));
    }

    /** Without it, cuDNN would end the process that asks it. */
    @Test
    void cudnnIsAskedOnlyWhereItFindsCublas() throws IOException {
        Path own = Files.createDirectories(root.resolve("site-packages/nvidia/cudnn/lib"));
        Files.createFile(own.resolve(CudaLibrary.DNN_GRAPH.file()));
        LibraryFolders folders = LibraryFolders.of(own.toString(), Map.of(), root, false);
        CudaException e = assertThrows(CudaException.class, () -> CudaLibraries.findBlasForDnn(folders));
        assertTrue(e.getMessage().contains("libcublasLt.so.13 was not found"), e.getMessage());
        assertTrue(e.getMessage().contains("pip install nvidia-cublas"), e.getMessage());

        Path blas = Files.createDirectories(root.resolve("site-packages/nvidia/cublas/lib"));
        Files.createFile(blas.resolve("libcublasLt.so.12"));
        CudaLibraries.findBlasForDnn(folders);
    }

    @Test
    void findsPackagesBesideAPythonThatIsNotStarted() throws IOException {
        Path library = file("lib/python3.12/site-packages/nvidia/cudnn/lib");
        Path python = root.resolve("bin/python3");
        Files.createDirectories(python.getParent());
        Files.writeString(python, "#!/bin/sh\ntouch " + root.resolve("started") + "\n");
        assertTrue(python.toFile().setExecutable(true));
        Map<String, String> environment = Map.of("PATH", root.resolve("bin").toString());
        assertEquals(
                Optional.of(library),
                LibraryFolders.of(null, environment, root, false).find(DNN));
        assertTrue(Files.notExists(root.resolve("started")));
    }

    @Test
    void prefersTheNewestToolkit() throws IOException {
        file("usr/local/cuda-13.0/lib64");
        Path newest = file("usr/local/cuda-13.1/lib64");
        assertEquals(Optional.of(newest), find(null, Map.of()));
    }

    @Test
    void aMissingLibraryIsOneLineThatSaysWhatToDo() {
        LibraryFolders folders = LibraryFolders.of(null, Map.of(), root);
        CudaException e = assertThrows(CudaException.class, () -> CudaLibraries.locate(CudaLibrary.DNN_OPS, folders));
        assertEquals(1, e.getMessage().lines().count());
        assertEquals(
                "libcudnn_ops.so.9 was not found (looked in HEADROOM_CUDA_LIBRARIES, LD_LIBRARY_PATH, Python's nvidia-*"
                        + " packages, ldconfig, " + root
                        + "/usr/local/cuda*); pip install nvidia-cudnn-cu13, or name its"
                        + " folder in HEADROOM_CUDA_LIBRARIES",
                e.getMessage());
        e = assertThrows(CudaException.class, () -> CudaLibraries.locate(CudaLibrary.DRIVER, folders));
        assertTrue(e.getMessage().contains("install NVIDIA's driver for CUDA 13 (580 or newer)"), e::getMessage);
    }

    private Optional<Path> find(String named, Map<String, String> environment) {
        return LibraryFolders.of(named, environment, root).find(DNN);
    }

    private Path file(String folder) throws IOException {
        Path file = root.resolve(folder).resolve(DNN);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }
}
