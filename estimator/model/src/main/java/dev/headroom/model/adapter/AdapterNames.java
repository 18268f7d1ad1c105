package dev.headroom.model.adapter;

import dev.headroom.model.units.OptionNames;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What peft 0.21 calls its methods, and what to write for those that are LoRA, or that have no rule. */
public final class AdapterNames {
    /** {@code init_lora_weights}: LoRA's shapes once its weights are made. */
    private static final Set<String> BEGINNINGS =
            Set.of("pissa", "olora", "eva", "loftq", "corda", "lora-ga", "orthogonal", "gaussian", "mica");

    /** Methods of LoRA's layers that another option switches on. */
    private static final Set<String> SWITCHES = Set.of("dora", "rslora");

    /** Methods without a rule. */
    private static final Set<String> OTHERS =
            Set.of(("multitask-prompt-tuning adamss boft adaption-prompt beft lily poly frod pvera"
                            + " fourierft glora xlora hra vblora unilora cpt miss randlora road trainable-tokens hira"
                            + " shira c3a waveft osf delora gralora cartridge tinylora psoft peanut shadow supertuning"
                            + " deft lora-fa")
                    .split(" "));

    private AdapterNames() {}

    /** The method of a name, in peft's spelling too. */
    public static Optional<AdapterMethod> known(String text) {
        return Arrays.stream(AdapterMethod.values())
                .filter(m -> OptionNames.of(m).equals(spelled(text)))
                .findFirst();
    }

    /** What to write in the place of a name that is none of them; empty for one that peft does not have either. */
    public static Optional<String> instead(String text) {
        String name = spelled(text);
        if (name.equals("lora")) {
            return Optional.of("write `lora=R`, its rank");
        }
        if (BEGINNINGS.contains(name)) {
            return Optional.of("it is LoRA with other values to begin with; write `lora=R`");
        }
        if (SWITCHES.contains(name)) {
            return Optional.of("write `lora=R` and `" + name.replace('-', '_') + "`");
        }
        return OTHERS.contains(name)
                ? Optional.of("a method of peft that is not modelled; it takes "
                        + Arrays.stream(AdapterMethod.values())
                                .map(OptionNames::of)
                                .collect(Collectors.joining(", "))
                        + ", and there is `lora`")
                : Optional.empty();
    }

    private static String spelled(String text) {
        return text.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
