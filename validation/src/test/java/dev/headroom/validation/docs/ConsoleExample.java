package dev.headroom.validation.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A command in the documentation and what it says that the terminal shows.
 *
 * @param command the words after {@code ./headroom}
 * @param shown lines below the command; a line {@code ...} stands for any number of lines, none included
 */
record ConsoleExample(List<String> command, List<String> shown) {
    private static final Pattern BLOCK = Pattern.compile("```[a-z]*\\n\\$ \\./headroom (.*?)```", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");
    private static final String ANY_LINES = "...";

    /** The examples of a page in Markdown: blocks whose first line starts with {@code $ ./headroom}. */
    static List<ConsoleExample> of(String page) {
        List<ConsoleExample> all = new ArrayList<>();
        BLOCK.matcher(page).results().forEach(m -> all.add(parse(m.group(1))));
        return all;
    }

    private static ConsoleExample parse(String block) {
        List<String> lines = new ArrayList<>(block.lines().toList());
        StringBuilder command = new StringBuilder();
        do {
            command.append(lines.remove(0));
        } while (continues(command));
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command);
        while (word.find()) {
            words.add(IntStream.rangeClosed(1, word.groupCount())
                    .mapToObj(word::group)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElseThrow());
        }
        return new ConsoleExample(words, List.copyOf(lines));
    }

    /** Whether a command goes on in the next line, as the shell has it; the backslash is taken away. */
    private static boolean continues(StringBuilder command) {
        int last = command.length() - 1;
        if (last < 0 || command.charAt(last) != '\\') {
            return false;
        }
        command.setCharAt(last, ' ');
        return true;
    }

    /** Whether the lines that a command printed are those that the page shows. */
    boolean matches(List<String> printed) {
        return matches(0, printed, 0);
    }

    private boolean matches(int at, List<String> printed, int line) {
        if (at == shown.size()) {
            return line == printed.size();
        }
        String expected = shown.get(at);
        if (expected.equals(ANY_LINES)) {
            for (int next = line; next <= printed.size(); next++) {
                if (matches(at + 1, printed, next)) {
                    return true;
                }
            }
            return false;
        }
        return line < printed.size()
                && printed.get(line).stripTrailing().equals(expected.stripTrailing())
                && matches(at + 1, printed, line + 1);
    }
}
