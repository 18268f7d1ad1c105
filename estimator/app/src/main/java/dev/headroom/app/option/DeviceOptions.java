package dev.headroom.app.option;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.device.GpuNames;
import dev.headroom.model.error.Suggestion;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** The card and what of it the run may use. */
@Command // to picocli, without an annotated option it would be nothing otherwise
public final class DeviceOptions {
    /** What the simulated device memory can hold. */
    private static final long MOST = 4L << 40;

    /** Fewer bytes without a unit are a unit forgotten. */
    private static final long LEAST = 1L << 20;

    private final OptionSpec gpu = OptionSpec.builder("--gpu")
            .arity("1")
            .type(String.class)
            .completionCandidates(new Candidates.Gpus())
            .paramLabel("NAME")
            .description("A card: a name of 'headroom devices' such as rtx-3090, or nvidia-smi's.")
            .build();

    private final OptionSpec memory =
            CommandSpecs.one("--memory", String.class, "SIZE", "Device memory, such as 24GiB or 40GB.");

    private final OptionSpec inUse =
            CommandSpecs.one("--in-use", String.class, "SIZE", "Device memory taken by others.");

    private final OptionSpec limit =
            CommandSpecs.one("--limit", String.class, "SIZE", "What the allocator may reserve.");

    /** How {@code --gpus} of advise counts cards: 8xh100. */
    private static final Pattern SEVERAL = Pattern.compile("([0-9]+)x(.+)");

    /** The words of the options, without their dashes. */
    static final List<String> WORDS = List.of("gpu", "memory", "in-use", "limit");

    /** Adds the options to a command; picocli calls this where they are a mixin. */
    @Spec
    public void addOptions(CommandSpec spec) {
        spec.addOption(gpu).addOption(memory).addOption(inUse).addOption(limit);
    }

    /** Gives an option that does not stand on the command line its text. */
    void give(String word, String text) {
        OptionSpec option =
                switch (word) {
                    case "gpu" -> gpu;
                    case "memory" -> memory;
                    case "in-use" -> inUse;
                    case "limit" -> limit;
                    default -> throw new IllegalArgumentException(word);
                };
        option.setValue(text);
    }

    /**
     * The scenario on the device.
     *
     * @throws dev.headroom.model.error.UserInputException for an unknown card or sizes that contradict each other
     */
    public Scenario on(Scenario run) {
        return on(run, gpu.getValue(), memory.getValue(), inUse.getValue(), limit.getValue());
    }

    private static Scenario on(
            Scenario run,
            @Nullable String gpu,
            @Nullable String memory,
            @Nullable String inUse,
            @Nullable String limit) {
        Gpu card = gpu == null ? null : card(gpu);
        Long total = memory == null ? null : (Long) Sizes.positive("`memory`", memory);
        long taken = inUse == null ? 0 : Sizes.parse("`in_use`", inUse);
        Long most = limit == null ? null : (Long) Sizes.positive("`limit`", limit);
        if (taken > 0 && card == null && total == null) {
            throw new BadOption("`in_use` needs a device; add `gpu=NAME` or `memory=SIZE`");
        }
        Long size = total != null ? total : card != null ? (Long) card.memory() : null;
        plausible("`memory`", memory, total);
        plausible("`limit`", limit, most);
        plausible("`in_use`", inUse, inUse == null || taken == 0 ? null : (Long) taken);
        within("`in_use`", inUse, taken, size);
        within("`limit`", limit, most == null ? 0 : most, size);
        return run.withDevice(new DeviceBudget(card, total, taken, most));
    }

    /**
     * Names the card where {@code --gpu} does not.
     *
     * @throws BadOption when both name one
     */
    public void name(String card) {
        String named = gpu.getValue();
        if (named != null) {
            throw new BadOption("`gpu=" + named + "` and --gpus name a card each; leave out one of them");
        }
        gpu.setValue(card);
    }

    private static Gpu card(String name) {
        Matcher several = SEVERAL.matcher(name);
        if (several.matches()) {
            throw new BadOption("`gpu`: '" + name + "' are " + several.group(1) + " cards; write `gpu="
                    + several.group(2) + "` `parallel=fsdp2` `world=" + several.group(1)
                    + "` (or ddp, zero3, tp, ...), or ask 'headroom advise' with --gpus " + name);
        }
        List<Gpu> cards = GpuNames.matching(name);
        if (cards.isEmpty()) {
            throw new BadOption("`gpu`: '" + name + "' is not in the catalogue"
                    + Suggestion.of(name, GpuCatalogue.names()) + "; 'headroom devices' lists all");
        }
        if (cards.size() > 1 && !asLarge(cards)) {
            throw new BadOption("`gpu`: '" + name + "' may be "
                    + cards.stream().map(Gpu::name).collect(Collectors.joining(" or ")) + "; name one of them");
        }
        return cards.get(0);
    }

    /** Whether the memory of all is the same within what drivers differ: then the first is as good as any. */
    private static boolean asLarge(List<Gpu> cards) {
        LongSummaryStatistics bytes = cards.stream().mapToLong(Gpu::memory).summaryStatistics();
        return bytes.getMax() - bytes.getMin() <= bytes.getMax() / 100;
    }

    private static void plausible(String option, @Nullable String text, @Nullable Long bytes) {
        if (text != null && bytes != null && bytes < LEAST && Character.isDigit(text.charAt(text.length() - 1))) {
            throw new BadOption(option + ": " + text + " has no unit and would be bytes; write " + text + "GiB, or "
                    + text + "B if it is");
        }
        if (bytes != null && bytes > MOST) {
            throw new BadOption(option + ": " + text + " is more than any device has (4 TiB at most); check the unit");
        }
    }

    private static void within(String option, @Nullable String text, long bytes, @Nullable Long size) {
        if (size != null && bytes > size) {
            throw new BadOption(option + ": " + text + " is more than the device's " + size + " bytes; lower it");
        }
    }
}
