package dev.headroom.model.device;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cards by the names that people have for them: the catalogue's own, what {@code nvidia-smi} prints, or the model's
 * number alone ({@code 3090}, {@code h100}, {@code A100 80GB}).
 */
public final class GpuNames {
    /** Words that tell no two cards apart. */
    private static final Set<String> BRANDS =
            Set.of("nvidia", "geforce", "tesla", "quadro", "rtx", "gtx", "gpu", "graphics", "generation");

    /** Words of how a model is built: asked for, they choose between cards of one model. */
    private static final Set<String> BUILDS =
            Set.of("pcie", "pci", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "nvl", "hbm2", "hbm2e", "hbm3", "hbm3e");

    private static final Pattern GIGABYTES = Pattern.compile("(\\d{1,4})(?:gb|gib|g)");
    private static final Pattern GLUED_BRAND = Pattern.compile("(?:rtx|gtx)(?=\\w)");

    /** How far what CUDA reports may be from the round figure on the box. */
    private static final double ROUNDED = 0.1;

    private static final double GIB = 1L << 30;

    private GpuNames() {}

    /** Every card that a name may mean, in the order of the catalogue; empty for a name of none. */
    public static List<Gpu> matching(String text) {
        String wanted = text.strip();
        List<Gpu> exact = GpuCatalogue.all().stream()
                .filter(gpu ->
                        gpu.name().equalsIgnoreCase(wanted) || gpu.title().equalsIgnoreCase(wanted))
                .toList();
        if (!exact.isEmpty()) {
            return exact;
        }
        List<String> words = words(wanted);
        String model = model(words);
        List<Gpu> same = model.isEmpty()
                ? List.of()
                : GpuCatalogue.all().stream()
                        .filter(gpu -> model.equals(model(words(gpu.name()))) && hasMemory(gpu, words))
                        .toList();
        return preferred(same, gpu -> words(gpu.name() + " " + gpu.title()).containsAll(builds(words)));
    }

    private static List<Gpu> preferred(List<Gpu> cards, Predicate<Gpu> asked) {
        List<Gpu> chosen = cards.stream().filter(asked).toList();
        return chosen.isEmpty() ? cards : chosen;
    }

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>(
                Arrays.asList(text.toLowerCase(Locale.ROOT).strip().split("[^a-z0-9]+")));
        words.replaceAll(word -> GLUED_BRAND.matcher(word).replaceFirst(""));
        words.removeIf(String::isEmpty);
        return words;
    }

    /** What names the model, without brand, memory and build: {@code 4060ti}. */
    private static String model(List<String> words) {
        return String.join(
                "",
                words.stream()
                        .filter(word -> !BRANDS.contains(word)
                                && !BUILDS.contains(word)
                                && !GIGABYTES.matcher(word).matches())
                        .toList());
    }

    private static List<String> builds(List<String> words) {
        return words.stream().filter(BUILDS::contains).toList();
    }

    private static boolean hasMemory(Gpu gpu, List<String> words) {
        for (String word : words) {
            Matcher size = GIGABYTES.matcher(word);
            if (size.matches()
                    && !words(gpu.name() + " " + gpu.title()).contains(word)
                    && Math.abs(gpu.memory() / GIB / Integer.parseInt(size.group(1)) - 1) > ROUNDED) {
                return false;
            }
        }
        return true;
    }
}
