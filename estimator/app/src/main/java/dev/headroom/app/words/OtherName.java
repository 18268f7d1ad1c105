package dev.headroom.app.words;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What sentences mention beside settings: what else can be asked of Headroom. */
public enum OtherName {
    /** The list of modules. */
    LAYERS("--layers", "Prediction.layers", "\"layers\" of a prediction"),

    /** The program that writes what torch.compile decided. */
    EXPORT_HELP_COMPILE("headroom export-help --compile"),

    /** The measurement of what a card takes beside tensors. */
    DEVICES_CALIBRATE("headroom devices --calibrate");

    private final String commandLine;
    private final String python;
    private final String request;

    OtherName(String commandLine, String python, String request) {
        this.commandLine = commandLine;
        this.python = python;
        this.request = request;
    }

    /** A command, which is asked for in a shell by all. */
    OtherName(String command) {
        this(command, command, command);
    }

    /** The one that is mentioned by a key. */
    public static Optional<OtherName> of(String key) {
        return Arrays.stream(values())
                .filter(name -> name.name().toLowerCase(Locale.ROOT).equals(key))
                .findFirst();
    }

    String words(Door door) {
        return switch (door) {
            case COMMAND_LINE -> commandLine;
            case PYTHON -> python;
            case SERVICE -> request;
        };
    }
}
