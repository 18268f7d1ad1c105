package dev.headroom.model.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class GpuCatalogueTest {
    @Test
    void holdsTheCardsOfTheCommandLineContract() {
        List<String> promised = List.of(
                "rtx-2080-super",
                "rtx-3060",
                "rtx-3090",
                "rtx-4060",
                "rtx-4090",
                "v100-32gb",
                "a100-40gb",
                "a100-80gb",
                "h100-80gb",
                "h200");
        assertTrue(GpuCatalogue.names().containsAll(promised), GpuCatalogue.names()::toString);
        assertTrue(GpuCatalogue.all().size() >= 25);
    }

    @Test
    void everyEntryIsPlausibleAndUnique() {
        for (Gpu gpu : GpuCatalogue.all()) {
            assertTrue(gpu.name().matches("[a-z0-9]+(-[a-z0-9]+)*"), gpu.name());
            assertTrue(gpu.memory() >= 7L << 30 && gpu.memory() <= 200L << 30, gpu.toString());
            assertTrue(gpu.major() >= 6 && gpu.major() <= 12 && gpu.minor() <= 9, gpu.toString());
            assertTrue(gpu.sms() >= 20 && gpu.sms() <= 200, gpu.toString());
            assertTrue(!gpu.source().isBlank(), gpu.toString());
        }
        assertEquals(GpuCatalogue.names().size(), new HashSet<>(GpuCatalogue.names()).size());
    }

    @Test
    void findsByNameInAnyCase() {
        assertEquals(25447170048L, GpuCatalogue.find("RTX-3090").orElseThrow().memory());
        assertTrue(GpuCatalogue.find("rtx-3091").isEmpty());
    }
}
