package dev.headroom.executor.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Keys of a checkpoint as people sort them: {@code layers.2} before {@code layers.10}. */
final class CheckpointOrder implements Comparator<String> {
    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d*)");

    /**
     * A part between dots.
     *
     * @param word before the number
     * @param number at its end, or -1
     */
    private record Part(String word, long number) {
        int compare(Part other) {
            boolean bare = word.isEmpty();
            if (bare != other.word.isEmpty()) {
                return bare ? -1 : 1;
            }
            int words = word.compareTo(other.word);
            return words == 0 ? Long.compare(number, other.number) : words;
        }
    }

    private static List<Part> parts(String key) {
        List<Part> out = new ArrayList<>();
        for (String text : key.split("\\.")) {
            Matcher m = NUMBERED.matcher(text);
            String digits = m.matches() ? m.group(2) : "";
            String word = text.substring(0, text.length() - digits.length());
            out.add(new Part(word, digits.isEmpty() ? -1 : Long.parseLong(digits)));
        }
        return out;
    }

    @Override
    public int compare(String a, String b) {
        List<Part> left = parts(a);
        List<Part> right = parts(b);
        for (int i = 0; i < left.size() && i < right.size(); i++) {
            int order = left.get(i).compare(right.get(i));
            if (order != 0) {
                return order;
            }
        }
        return left.size() - right.size();
    }
}
