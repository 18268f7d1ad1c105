package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;

import java.util.List;

/** Settings of PyTorch's caching allocator. */
final class AllocatorChanges {
    private static final String EXPANDABLE = "expandable_segments";

    /** Segments that grow. */
    static final CatalogueEntry EXPANDABLE_SEGMENTS = setting(EXPANDABLE, "True");

    static final List<CatalogueEntry> ENTRIES =
            List.of(EXPANDABLE_SEGMENTS, setting("max_split_size_mb", "128"), setting("max_split_size_mb", "32"));

    private AllocatorChanges() {}

    /** One that is not set yet; segments that grow make the others idle. */
    private static CatalogueEntry setting(String name, String value) {
        String setting = name + ":" + value;
        return CatalogueEntry.of(s -> {
                    String before = s.run().allocConf();
                    String all = before.isBlank() ? setting : before + "," + setting;
                    return Change.free("allocator", "allocator setting " + setting, r -> r.with(ALLOC_CONF, all))
                            .withCode("PYTORCH_CUDA_ALLOC_CONF=" + all + " python train.py");
                })
                .when(s -> s.torch().allocatorSettings()
                        && !s.run().allocConf().contains(EXPANDABLE)
                        && !s.run().allocConf().contains(name));
    }
}
