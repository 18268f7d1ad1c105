package dev.headroom.app.command;

import static java.util.stream.Collectors.joining;

import dev.headroom.app.words.Door;
import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.units.Mib;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The one line that a failure prints. */
public final class ErrorLine {
    /** What picocli puts before the reason why a value is none: users know no class of Java. */
    private static final String JAVAS_NAME = "\\((?:[a-z]\\w*\\.)+[A-Z]\\w*: ";

    private static final String JAVAS_TYPE = "(?:interface|class) (?:[a-z]\\w*\\.)+([A-Z]\\w*)";

    /** Characters of a line; nobody reads more. */
    private static final int LONGEST = 4000;

    private ErrorLine() {}

    /**
     * Whether the user can mend it; one can ask for less than Java's heap holds, or for a larger heap, and files can be
     * nested more deeply than its stack holds.
     */
    public static boolean isBadInput(Throwable e) {
        return e instanceof UserInputException
                || e instanceof ParameterException
                || e instanceof OutOfMemoryError
                || e instanceof StackOverflowError;
    }

    /** What, where, what to do; always a single line. */
    static String of(Throwable e) {
        return "headroom: " + reason(e);
    }

    /** The same without the name of the program. */
    public static String reason(Throwable e) {
        return reason(e, Door.here());
    }

    /** The same for users of a door. */
    public static String reason(Throwable e, Door door) {
        String text;
        if (e instanceof ParameterException parameter) {
            text = parameter(parameter, door);
        } else if (e instanceof OutOfMemoryError) {
            text = "this is more than Java's heap of "
                    + Mib.text(Runtime.getRuntime().maxMemory())
                    + " holds; ask for fewer layers or `steps`, or give it more with HEADROOM_JAVA_OPTS=-Xmx8g";
        } else if (e instanceof StackOverflowError) {
            text = "the input is nested more deeply, or has longer lines, than Java's stack holds; if it is as PyTorch"
                    + " wrote it, please report this with the stack trace, which HEADROOM_DEBUG=1 prints";
        } else if (isBadInput(e)) {
            text = message(e);
        } else {
            text = defect(e);
        }
        String line = door.tell(text)
                .lines()
                .map(String::strip)
                .filter(s -> !s.isEmpty())
                .collect(joining(" "));
        return shortened(line).replaceAll("\\p{Cntrl}", "?");
    }

    /** What is quoted may be long: a line begins with what and where, and ends with what to do. */
    private static String shortened(String line) {
        return line.length() <= LONGEST
                ? line
                : line.substring(0, LONGEST / 2) + " … " + line.substring(line.length() - LONGEST / 2);
    }

    private static String parameter(ParameterException e, Door door) {
        CommandLine line = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unknown(line, unmatched.getUnmatched().get(0), door);
        }
        String help = "; see '" + line.getCommandSpec().qualifiedName() + " --help'";
        if (e instanceof MissingParameterException missing) {
            if (!missing.getMissing().isEmpty()
                    && missing.getMissing().get(0) instanceof OptionSpec option
                    && !option.required()) {
                return option.longestName() + " needs a value" + help;
            }
            return lower(message(e)) + help;
        }
        String said = message(e).replaceAll(JAVAS_NAME, "(").replaceAll(JAVAS_TYPE, "a $1");
        return lower(said) + (message(e).contains("--help") ? "" : help);
    }

    private static String message(Throwable e) {
        return Objects.requireNonNullElse(e.getMessage(), e.toString());
    }

    private static String unknown(CommandLine line, String word, Door door) {
        String help = "; see '" + line.getCommandSpec().qualifiedName() + " --help'";
        if (word.startsWith("-")) {
            String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
            List<String> names = new ArrayList<>();
            line.getCommandSpec().options().forEach(option -> names.add(option.longestName()));
            String hint = Spellings.of(name, names)
                    .map(option -> "; here it is '" + door.option(option) + "'")
                    .orElseGet(() -> Suggestion.of(
                            door.option(name), names.stream().map(door::option).toList()));
            return "unknown option '" + door.option(name) + "'" + (hint.isEmpty() ? help : hint);
        }
        if (line.getParent() == null) {
            String hint = Suggestion.of(word, line.getSubcommands().keySet());
            return "unknown command '" + word + "'" + (hint.isEmpty() ? help : hint);
        }
        return "unexpected argument '" + word + "'" + help;
    }

    private static String defect(Throwable e) {
        StackTraceElement[] trace = e.getStackTrace();
        String place = trace.length == 0 ? "" : " in " + trace[0];
        return "defect: " + e.getClass().getSimpleName() + place
                + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")")
                + "; please report it with the stack trace, which HEADROOM_DEBUG=1 prints";
    }

    private static String lower(String message) {
        return message.isEmpty() ? message : Character.toLowerCase(message.charAt(0)) + message.substring(1);
    }
}
