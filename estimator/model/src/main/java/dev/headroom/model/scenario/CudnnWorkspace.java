package dev.headroom.model.scenario;

import org.jspecify.annotations.Nullable;

/**
 * What every convolution of cuDNN works in. Where nothing is fixed, batch normalisation, attention and recurrent layers
 * get what cuDNN asks for.
 *
 * @param source who is asked for the bytes
 * @param bytes the same for all of them, 0 for none; {@code null}: as the source says
 * @param driver whether the run's cuDNN finds a CUDA driver, as wherever there is a GPU; in recordings over null
 *     libraries it finds none and leaves engines out, and all but convolutions have the stub's workspaces
 */
public record CudnnWorkspace(
        Scenario.Workspaces source, @Nullable Long bytes, boolean driver) {
    /** What an installed cuDNN says, else rules, else bounds. */
    public static final CudnnWorkspace AUTO = from(Scenario.Workspaces.AUTO);

    /** No convolution has any. */
    public static final CudnnWorkspace NONE = of(0);

    /** Of every convolution the same. */
    public static CudnnWorkspace of(long bytes) {
        return new CudnnWorkspace(Scenario.Workspaces.AUTO, bytes, true);
    }

    /** As a source says. */
    public static CudnnWorkspace from(Scenario.Workspaces source) {
        return new CudnnWorkspace(source, null, true);
    }

    /** Whether all but convolutions have what cuDNN itself asks for; else they have the null libraries' sizes. */
    public boolean isOfCudnn() {
        return bytes == null && driver;
    }

    /** As this or another source says, with the same driver or none. */
    public CudnnWorkspace withSource(Scenario.Workspaces other) {
        return new CudnnWorkspace(other, bytes, driver);
    }

    /** On a machine without a driver. */
    public CudnnWorkspace withoutDriver() {
        return new CudnnWorkspace(source, bytes, false);
    }
}
