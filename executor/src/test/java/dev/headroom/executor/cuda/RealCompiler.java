package dev.headroom.executor.cuda;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaLibraries;
import dev.headroom.executor.cuda.driver.LibraryFolders;
import dev.headroom.executor.cuda.runtime.KernelSource;
import dev.headroom.executor.cuda.runtime.Nvrtc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * NVIDIA's own compiler on kernels, over the null driver, in a process of its own. It needs no GPU; where no libnvrtc.so.13 is found (see {@link LibraryFolders}) the calling test is skipped.
 */
public final class RealCompiler {
    private RealCompiler() {}

    /**
     * Compiles to machine code for each capability.
     *
     * @param capabilities such as 90
     * @return what the compiler said of the first source that failed; empty when all compiled
     */
    public static String compile(List<KernelSource> sources, int... capabilities)
            throws IOException, InterruptedException {
        NullCuda.install();
        Path file = Files.createTempFile("kernels", ".json");
        try {
            new ObjectMapper().writeValue(file.toFile(), new Job(sources, capabilities));
            return OwnProcess.run(
                    RealCompiler.class,
                    List.of("-D" + OwnProcess.FOLDERS + "=" + System.getProperty(OwnProcess.FOLDERS)),
                    file.toString());
        } finally {
            Files.delete(file);
        }
    }

    /** What the other process reads. */
    record Job(List<KernelSource> sources, int[] capabilities) {}

    public static void main(String[] arguments) throws IOException {
        Job job = new ObjectMapper().readValue(Path.of(arguments[0]).toFile(), new TypeReference<Job>() {});
        CudaLibraries.loadRuntime();
        System.clearProperty(OwnProcess.FOLDERS);
        try {
            CudaLibraries.loadCompiler();
        } catch (CudaException e) {
            System.out.println(e.getMessage());
            System.exit(OwnProcess.LACKING);
        }
        for (KernelSource source : job.sources()) {
            for (int capability : job.capabilities()) {
                byte[] image = Nvrtc.compile(source, capability).image();
                if (image[0] != 0x7f || image[1] != 'E' || image[2] != 'L' || image[3] != 'F') {
                    System.out.println(source.name() + " became no machine code of capability " + capability);
                    System.exit(1);
                }
            }
        }
    }
}
