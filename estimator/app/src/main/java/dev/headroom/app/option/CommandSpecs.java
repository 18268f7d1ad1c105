package dev.headroom.app.option;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Commands and options that are put together by hand: picocli can read them from annotations, but looks at those by
 * reflection, and Java makes classes for them at each start. The commands that are asked most do without. An option
 * keeps the value that it was given.
 */
public final class CommandSpecs {
    private CommandSpecs() {}

    /**
     * A command without options of its own but help and version.
     *
     * @param user what runs: a {@code Callable} or a {@code Runnable}
     */
    public static CommandSpec command(String name, Object user, String description) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection(user).name(name);
        spec.usageMessage().description(description);
        return spec;
    }

    /** The options that every command has; last, as help lists options in their order. */
    public static CommandSpec withHelp(CommandSpec spec) {
        return spec.addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .arity("0")
                        .type(boolean.class)
                        .description("Show this help message and exit.")
                        .build())
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .arity("0")
                        .type(boolean.class)
                        .description("Print version information and exit.")
                        .build());
    }

    /** An option that takes no value. */
    public static OptionSpec flag(String name, String description) {
        return OptionSpec.builder(name)
                .arity("0")
                .type(boolean.class)
                .description(description)
                .build();
    }

    /** An option that takes one value. */
    public static OptionSpec one(String name, Class<?> type, String label, String description) {
        return OptionSpec.builder(name)
                .arity("1")
                .type(type)
                .paramLabel(label)
                .description(description)
                .build();
    }

    /** An option of texts that are values in the order in which they stand on the command line. */
    public static OptionSpec.Builder many(String name, String label, String description) {
        return OptionSpec.builder(name)
                .arity("1")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .paramLabel(label)
                .description(description);
    }

    /** Whether an option without a value stands on the command line. */
    public static boolean isGiven(OptionSpec flag) {
        return Boolean.TRUE.equals(flag.getValue());
    }
}
