package dev.headroom.executor.op;

/** Complex numbers and Fourier transforms; gradients are those of the parts. */
final class ComplexExamples {
    private ComplexExamples() {}

    static void add(Examples o) {
        o.of("aten.view_as_complex").tensor("self", 2, 3, 2).doubleOnly();
        o.of("aten.view_as_real").complex("self", 2, 3);
        o.of("aten.real").complex("self", 2, 3);
        o.of("aten.imag").complex("self", 2, 3);
        o.of("aten.real").tensor("self", 2, 3).label("of real numbers");
        o.of("aten.complex").tensor("real", 2, 3).tensor("imag", 3).doubleOnly();
        o.of("aten.polar").positive("abs", 2, 3).tensor("angle", 2, 3).doubleOnly();
        o.of("aten.abs").complex("self", 2, 3).label("complex");
        o.of("aten.mul").complex("self", 2, 3).complex("other", 3).label("complex");
        o.of("aten.mul").complex("self", 2, 3).tensor("other", 3).label("complex by real");
        o.of("aten.mul").tensor("self", 2, 3).complex("other", 2, 1).label("real by complex");
        o.of("aten.add").complex("self", 2, 3).complex("other", 2, 3).label("complex");
        o.of("aten.sum").complex("self", 2, 3).integers("dim", 1).label("complex");
        o.of("aten.clone").complex("self", 2, 3).label("complex");
        o.of("aten.slice")
                .complex("self", 4, 3)
                .integer("dim", 0)
                .integer("start", 1)
                .integer("end", 3)
                .label("complex");
        transforms(o);
        o.of("aten.stft")
                .tensor("self", 2, 20)
                .integer("n_fft", 8)
                .integer("hop_length", 3)
                .none("win_length")
                .fraction("window", 8)
                .flag("normalized", false)
                .flag("onesided", true)
                .flag("return_complex", true)
                .doubleOnly();
        o.of("aten.stft")
                .tensor("self", 2, 20)
                .integer("n_fft", 8)
                .integer("hop_length", 3)
                .integer("win_length", 5)
                .none("window")
                .flag("normalized", false)
                .flag("onesided", true)
                .flag("return_complex", true)
                .label("of a shorter window")
                .doubleOnly();
        for (int length : new int[] {0, 15, 30}) {
            Example inverse = o.of("aten.istft")
                    .complex("self", 2, 5, 6)
                    .integer("n_fft", 8)
                    .integer("hop_length", 3);
            Example rest = length != 15 ? inverse.none("win_length") : inverse.integer("win_length", 7);
            rest.fraction("window", length != 15 ? 8 : 7).flag("center", true).flag("normalized", length == 15);
            (length == 0 ? rest : rest.none("onesided").integer("length", length))
                    .label("of length " + length)
                    .doubleOnly();
        }
        o.of("aten.as_strided")
                .tensor("self", 8)
                .integers("size", 3, 4)
                .integers("stride", 2, 1)
                .label("with overlaps");
    }

    private static void transforms(Examples o) {
        for (String way : new String[] {"fft", "ifft"}) {
            o.of("aten.fft_" + way).complex("self", 2, 5);
            o.of("aten.fft_" + way)
                    .complex("self", 5, 2)
                    .none("n")
                    .integer("dim", 0)
                    .label("along the first");
            o.of("aten.fft_" + way + "2").complex("self", 2, 3, 4);
            o.of("aten.fft_" + way + "n").complex("self", 2, 3, 2).text("norm", "ortho");
        }
        o.of("aten.fft_fft").tensor("self", 2, 5).label("of real numbers").doubleOnly();
        o.of("aten.fft_fft").complex("self", 2, 5).integer("n", 7).label("longer");
        o.of("aten.fft_fft").complex("self", 2, 5).integer("n", 3).label("shorter");
        o.of("aten.fft_rfft").tensor("self", 2, 6).doubleOnly();
        o.of("aten.fft_rfft")
                .tensor("self", 2, 5)
                .text("norm", "forward")
                .label("odd")
                .doubleOnly();
        o.of("aten.fft_rfft2").tensor("self", 2, 4, 5).doubleOnly();
        o.of("aten.fft_rfftn").tensor("self", 3, 2, 4).doubleOnly();
        o.of("aten.fft_irfft").complex("self", 2, 4);
        o.of("aten.fft_irfft").complex("self", 2, 4).integer("n", 7).label("odd");
        o.of("aten.fft_irfft2").complex("self", 2, 4, 3);
        o.of("aten.fft_irfftn").complex("self", 3, 2, 3);
    }
}
