package dev.headroom.estimator.op.fft;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Registry;

/** {@code torch.fft}, and complex numbers by their parts. */
public final class FourierRules {
    private static final String WHY = "cuFFT's workspace is not known";

    private FourierRules() {}

    public static void register(Registry r) {
        for (String end : new String[] {"", "2", "n"}) {
            r.single("aten.fft_fft" + end, c -> Transforms.complex(new Body(c.runtime(), r), c, end.isEmpty()));
            r.single("aten.fft_ifft" + end, c -> Transforms.complex(new Body(c.runtime(), r), c, end.isEmpty()));
            r.single("aten.fft_rfft" + end, c -> Transforms.real(new Body(c.runtime(), r), c));
            r.single("aten.fft_irfft" + end, c -> Transforms.inverseReal(new Body(c.runtime(), r), c));
            for (String name : new String[] {"fft", "ifft", "rfft", "irfft"}) {
                r.bound("aten.fft_" + name + end, WHY);
            }
        }
        r.single("aten.stft", c -> Transforms.shortTime(new Body(c.runtime(), r), c));
        r.bound("aten.stft", WHY);
        r.single("aten.istft", c -> ShortTimeInverse.run(new Body(c.runtime(), r), c));
        r.bound("aten.istft", WHY);
        r.single("aten.real", c -> Transforms.part(new Body(c.runtime(), r), c.tensor("self"), 0));
        r.single("aten.imag", c -> Transforms.part(new Body(c.runtime(), r), c.tensor("self"), 1));
        r.single("aten.complex", Transforms::joined);
    }
}
