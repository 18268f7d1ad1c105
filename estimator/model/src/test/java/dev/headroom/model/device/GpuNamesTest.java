package dev.headroom.model.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cards are found by what people call them. */
class GpuNamesTest {
    private static String found(String text) {
        return GpuNames.matching(text).stream().map(Gpu::name).collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "rtx-3090, rtx-3090",
        "NVIDIA GeForce RTX 3090, rtx-3090",
        "GeForce RTX 3090 Ti, rtx-3090-ti",
        "RTX3060, rtx-3060",
        "3060, rtx-3060",
        "3060 12GB, rtx-3060",
        "4060, rtx-4060",
        "4060 ti, rtx-4060-ti-16gb rtx-4060-ti-8gb",
        "4060ti 16gb, rtx-4060-ti-16gb",
        "h100, h100-80gb h100-pcie",
        "H100 PCIe, h100-pcie",
        "NVIDIA H100 80GB HBM3, h100-80gb",
        "a100, a100-80gb a100-40gb",
        "NVIDIA A100-PCIE-40GB, a100-40gb",
        "NVIDIA A100 80GB PCIe, a100-80gb",
        "Tesla T4, t4",
        "v100 32gb, v100-32gb",
        "2080 Super, rtx-2080-super",
        "RTX A6000, a6000",
        "rtx 6000 ada, rtx-6000-ada",
        "titan rtx, titan-rtx",
        "h200, h200"
    })
    void cardsHaveManyNames(String text, String names) {
        assertEquals(names, found(text));
    }

    @ParameterizedTest
    @CsvSource({"3060 Laptop GPU", "3060 24GB", "a1000", "NVIDIA", "rtx"})
    void othersHaveNone(String text) {
        assertEquals("", found(text));
    }

    /** What a verdict prints can be asked for; cards of several sizes share a title. */
    @Test
    void everyTitleIsAName() {
        GpuCatalogue.all()
                .forEach(
                        gpu -> assertTrue(List.of(found(gpu.title()).split(" ")).contains(gpu.name()), gpu.title()));
    }
}
