package dev.headroom.validation.generate;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** As many random models as the Maven profile {@code night} has time for, others each night. */
class MeasuredCasesNight extends MeasuredCasesTest {
    @Override
    @Property(maxDiscardRatio = 100)
    void withoutComputing(@ForAll("cases") RandomCase c) {
        super.withoutComputing(c);
    }

    @Override
    @Property(maxDiscardRatio = 100)
    void onTheHost(@ForAll("hostCases") RandomCase c) {
        super.onTheHost(c);
    }
}
