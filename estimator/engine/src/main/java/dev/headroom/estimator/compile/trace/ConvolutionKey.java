package dev.headroom.estimator.compile.trace;

/** What tells convolutions of the same tensors apart: the {@linkplain Value#key() key} of one. */
public record ConvolutionKey(long groups, boolean transposed) {
    private static final String GROUPS = "groups=";
    private static final String TRANSPOSED = " transposed";

    /** That of a value made by {@code aten.convolution}. */
    public static ConvolutionKey of(Value convolution) {
        String key = convolution.key();
        boolean transposed = key.endsWith(TRANSPOSED);
        int end = key.length() - (transposed ? TRANSPOSED.length() : 0);
        return new ConvolutionKey(Long.parseLong(key.substring(GROUPS.length(), end)), transposed);
    }

    /** As the value has it. */
    public String text() {
        return GROUPS + groups + (transposed ? TRANSPOSED : "");
    }
}
