package dev.headroom.estimator.loading;

import java.util.List;
import java.util.stream.Stream;

/**
 * A tensor's name in the order in which a checkpoint's tensors are loaded: by the parts of their names between dots,
 * numbers before words, numbers at the end of words as numbers (transformers/core_model_loading.py, dot_natural_key).
 */
final class NaturalOrder implements Comparable<NaturalOrder> {
    /**
     * What lies between two dots.
     *
     * @param digits of the number at its end, without zeros before it; "" for none
     */
    private record Part(String word, String digits) implements Comparable<Part> {
        static Part of(String text) {
            int word = text.length();
            while (word > 0 && isDigit(text.charAt(word - 1))) {
                word--;
            }
            int digits = word;
            while (digits < text.length() - 1 && text.charAt(digits) == '0') {
                digits++;
            }
            return new Part(text.substring(0, word), text.substring(digits));
        }

        private static boolean isDigit(char c) {
            return c >= '0' && c <= '9';
        }

        private boolean isNumber() {
            return word.isEmpty() && !digits.isEmpty();
        }

        @Override
        public int compareTo(Part other) {
            if (isNumber() != other.isNumber()) {
                return isNumber() ? -1 : 1;
            }
            int order = word.compareTo(other.word);
            if (order != 0) {
                return order;
            }
            // Digits by their value; none comes before any.
            return digits.length() != other.digits.length()
                    ? Integer.compare(digits.length(), other.digits.length())
                    : digits.compareTo(other.digits);
        }
    }

    private final String name;
    private final List<Part> parts;

    private NaturalOrder(String name) {
        this.name = name;
        this.parts = Stream.of(name.split("\\.", -1)).map(Part::of).toList();
    }

    /** Names in their order. */
    static List<String> sorted(Stream<String> names) {
        return names.map(NaturalOrder::new).sorted().map(n -> n.name).toList();
    }

    @Override
    public int compareTo(NaturalOrder other) {
        for (int i = 0; i < Math.min(parts.size(), other.parts.size()); i++) {
            int order = parts.get(i).compareTo(other.parts.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(parts.size(), other.parts.size());
    }
}
