package dev.headroom.model.cudnn;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version of cuDNN, and what is known to be different in it. */
public record CudnnVersion(int major, int minor) {
    /** The version whose answers the distilled rules were learned from. */
    public static final CudnnVersion NEWEST = new CudnnVersion(9, 24);

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,2})\\.([0-9]{1,3})(\\.[0-9]{1,3}){0,2}");

    /** Reads a version such as 9.1 or 8.9.2.26. */
    public static Optional<CudnnVersion> of(String text) {
        Matcher m = TEXT.matcher(text.strip());
        return m.matches()
                ? Optional.of(new CudnnVersion(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2))))
                : Optional.empty();
    }

    /** Whether this is the given version or a later one. */
    public boolean since(int thatMajor, int thatMinor) {
        return major > thatMajor || major == thatMajor && minor >= thatMinor;
    }

    /**
     * Whether cuDNN takes plans without copies for some convolutions of NCHW tensors: for filters of one point, and for
     * groups of fewer than {@link #LEAST_GROUP} channels. Learned from searches ({@code cudnn.benchmark}) in runs of 43
     * image models on an A100 with PyTorch 2.4 (cuDNN 9.1). That it holds for the first answer of the heuristics too,
     * runs on an RTX 3060 and an RTX 4060 with PyTorch 2.6 (cuDNN 9.1) say, from which nothing was learned;
     * fixtures/real/README.md has the figures. Of 9.8 and later the heuristics' own order is known.
     */
    public boolean keepsDirectPlans() {
        return !since(9, 8);
    }

    /**
     * Whether attention of single queries comes out wrong on GPUs of compute capability 10 and 11: 9.19 to 9.25.0, as
     * PyTorch 2.14.1 says (ATen/native/cudnn/MHA.cpp, check_cudnn_sdpa_decode). It excepts 9.24.1; its packages bring
     * 9.24.0.
     */
    public boolean decodesWrongly() {
        return since(9, 19) && !since(9, 26);
    }

    /** Channels of a group from which on a search keeps what the heuristics name first. */
    public static final long LEAST_GROUP = 24;

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
