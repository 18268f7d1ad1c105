package dev.headroom.model.scenario;

import org.jspecify.annotations.Nullable;

/**
 * What every convolution of cuDNN works in. Where nothing is fixed, batch normalisation, attention and recurrent layers get
 * what cuDNN asks for.
 *
 * @param source who is asked for the bytes
 * @param bytes the same for all convolutions, 0 for none; {@code null}: as the source says
 * @param convolutionsAlone the others have the stub's, as over null libraries that ask cuDNN of convolutions only; a
 *     setting does not say so
 */
public record CudnnWorkspace(
        Scenario.Workspaces source, @Nullable Long bytes, boolean convolutionsAlone) {
    /** What an installed cuDNN says, else rules, else bounds. */
    public static final CudnnWorkspace AUTO = from(Scenario.Workspaces.AUTO);

    /** No convolution has any. */
    public static final CudnnWorkspace NONE = of(0);

    /** Of every convolution the same. */
    public static CudnnWorkspace of(long bytes) {
        return new CudnnWorkspace(Scenario.Workspaces.AUTO, bytes, false);
    }

    /** As a source says. */
    public static CudnnWorkspace from(Scenario.Workspaces source) {
        return new CudnnWorkspace(source, null, false);
    }

    /** The same for convolutions, and a stub for the rest. */
    public CudnnWorkspace ofConvolutionsAlone() {
        return new CudnnWorkspace(source, bytes, true);
    }
}
