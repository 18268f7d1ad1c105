package dev.headroom.validation.generate;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** As many random models in pipelines as the Maven profile {@code night} has time for. */
class MeasuredPipelinesNight extends MeasuredPipelinesTest {
    @Override
    @Property(maxDiscardRatio = 100)
    void withoutComputing(@ForAll("cases") RandomCase c, @ForAll("spreads") Spread spread) {
        super.withoutComputing(c, spread);
    }

    @Override
    @Property(maxDiscardRatio = 100)
    void onTheHost(@ForAll("hostCases") RandomCase c, @ForAll("spreads") Spread spread) {
        super.onTheHost(c, spread);
    }
}
