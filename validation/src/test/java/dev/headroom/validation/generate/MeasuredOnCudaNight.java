package dev.headroom.validation.generate;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** As many random models as the Maven profile {@code night} has time for, through CUDA's calls, others each night. */
class MeasuredOnCudaNight extends MeasuredOnCudaTest {
    @Override
    @Property(maxDiscardRatio = 100)
    void predictedIsMeasured(@ForAll("cases") RandomCase c) {
        super.predictedIsMeasured(c);
    }
}
