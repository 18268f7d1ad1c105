package dev.headroom.app.report;

import dev.headroom.app.words.Door;
import java.util.ArrayList;
import java.util.List;

/** Breaks text at blanks. */
final class Wrap {
    private Wrap() {}

    /**
     * Lines of at most {@code width} characters, but for words that are longer; all but the first are indented.
     * Settings are told in the words of this process's door.
     */
    static List<String> lines(String text, int width, String indent) {
        return lines(Door.here(), text, width, indent);
    }

    /** The same with settings told in the words of a door. */
    static List<String> lines(Door door, String text, int width, String indent) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : door.tell(text).strip().split("\\s+")) {
            if (line.length() > indent.length() && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line = new StringBuilder(indent).append(word);
            } else {
                line.append(line.isEmpty() ? "" : " ").append(word);
            }
        }
        lines.add(line.toString());
        return lines;
    }
}
