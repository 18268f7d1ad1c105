package dev.headroom.app.report;

import java.io.Console;

/** Colours of a terminal, or none. */
public enum Style {
    PLAIN,
    COLOUR;

    /** Colours when standard output is a terminal and neither {@code NO_COLOR} nor a dumb terminal forbids them. */
    public static Style forTerminal() {
        String noColour = System.getenv("NO_COLOR");
        String term = System.getenv("TERM");
        boolean colour = terminal() && (noColour == null || noColour.isEmpty()) && !"dumb".equals(term);
        return colour ? COLOUR : PLAIN;
    }

    /** From Java 22 on there is a console even when output goes to a file, and a method that tells. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean terminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    String good(String text) {
        return paint("1;32", text);
    }

    String bad(String text) {
        return paint("1;31", text);
    }

    String strong(String text) {
        return paint("1", text);
    }

    String faint(String text) {
        return paint("2", text);
    }

    private String paint(String code, String text) {
        return this == PLAIN || text.isEmpty() ? text : "\033[" + code + "m" + text + "\033[0m";
    }
}
