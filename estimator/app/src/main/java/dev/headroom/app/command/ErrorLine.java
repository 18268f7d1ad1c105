package dev.headroom.app.command;

import dev.headroom.model.error.Suggestion;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The one line that a failure prints. */
public final class ErrorLine {
    private ErrorLine() {}

    /** Whether the user can mend it. */
    public static boolean isBadInput(Throwable e) {
        return e instanceof UserInputException || e instanceof ParameterException;
    }

    /** What, where, what to do; always a single line. */
    static String of(Throwable e) {
        return "headroom: " + reason(e);
    }

    /** The same without the name of the program. */
    public static String reason(Throwable e) {
        String text;
        if (e instanceof ParameterException parameter) {
            text = parameter(parameter);
        } else if (isBadInput(e)) {
            text = e.getMessage();
        } else if (e instanceof OutOfMemoryError) {
            text = "Java's heap is too small; give it more with JAVA_TOOL_OPTIONS=-Xmx4g";
        } else {
            text = defect(e);
        }
        return text.strip().replaceAll("\\s*[\\r\\n]+\\s*", " ");
    }

    private static String parameter(ParameterException e) {
        CommandLine line = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unknown(line, unmatched.getUnmatched().get(0));
        }
        String help = "; see '" + line.getCommandSpec().qualifiedName() + " --help'";
        if (e instanceof MissingParameterException missing) {
            if (!missing.getMissing().isEmpty()
                    && missing.getMissing().get(0) instanceof OptionSpec option
                    && !option.required()) {
                return option.longestName() + " needs a value" + help;
            }
            return lower(e.getMessage()) + help;
        }
        return lower(e.getMessage()) + (e.getMessage().contains("--help") ? "" : help);
    }

    private static String unknown(CommandLine line, String word) {
        String help = "; see '" + line.getCommandSpec().qualifiedName() + " --help'";
        if (word.startsWith("-")) {
            String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
            List<String> names = new ArrayList<>();
            line.getCommandSpec().options().forEach(option -> names.add(option.longestName()));
            String hint = Suggestion.of(name, names);
            return "unknown option '" + name + "'" + (hint.isEmpty() ? help : hint);
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
