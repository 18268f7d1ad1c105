package dev.headroom.validation.fuzz;

import dev.headroom.validation.fuzz.Program.Edit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Changes the words, numbers and signs of a text. */
final class TextEdits {
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_.-]+|\\s|[^\\s]");

    /** Edits of lower kinds put what may stand in a place. */
    private static final int OF_ANY_KIND = 176;

    private static final List<String> NUMBERS =
            List.of("0", "1", "2", "3", "7", "64", "999", "0.5", "1.5", "1e-9", "2147483648", "9223372036854775807");

    /** Numbers stay small where they count repetitions: a million steps are what was asked for. */
    private static final List<String> WORDS = List.of(
            "0",
            "-1",
            "1",
            "3",
            "7",
            "1.5",
            "1e9",
            "99999999999999999999",
            "9223372036854775807",
            "NaN",
            "",
            "\"",
            "'",
            "#",
            ":",
            "-",
            "*",
            "&a",
            "*a",
            "!!",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            ",",
            ",,",
            "=",
            "\n",
            "\t",
            " ",
            "\u0000",
            "\u00e9\ud83d\ude00",
            "null",
            "true",
            "false",
            "1..9 x2",
            "3..1",
            "..",
            "auto",
            "all",
            "none",
            "cpu",
            "x.pt2",
            "fp16",
            "bf16",
            "none",
            "--json",
            "--batch",
            "--layers",
            "%s",
            "\\",
            "[[[[[[",
            "a.b.c.d",
            "24GiB",
            "4MB",
            "fp8");

    private static final int REPEATED = 5_000;

    private TextEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        List<String> tokens = tokens(seed);
        List<String> others = tokens(program.donor());
        for (Edit edit : program.edits()) {
            if (edit.kind() < OF_ANY_KIND && !tokens.isEmpty()) {
                alike(tokens, edit, edit.value() % 2 == 0 ? tokens : others);
            } else {
                change(tokens, edit);
            }
        }
        return String.join("", tokens).getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> tokens(byte[] text) {
        return new ArrayList<>(TOKEN.matcher(new String(text, StandardCharsets.UTF_8))
                .results()
                .map(MatchResult::group)
                .toList());
    }

    /** The first number or word from a place on becomes another, or a line is copied or left out. */
    private static void alike(List<String> tokens, Edit edit, List<String> from) {
        int at = Edit.of(edit.place(), tokens.size());
        if (edit.kind() % 4 == 3) {
            line(tokens, edit, from);
            return;
        }
        while (at < tokens.size() - 1 && !isWord(tokens.get(at))) {
            at++;
        }
        String token = tokens.get(at);
        boolean number = isNumber(token);
        if (number && edit.kind() % 2 == 0) {
            tokens.set(at, NUMBERS.get(Edit.of(edit.value(), NUMBERS.size())));
            return;
        }
        List<String> cousins = from.stream()
                .filter(other -> isWord(other) && isNumber(other) == number && !other.equals(token))
                .toList();
        if (!cousins.isEmpty()) {
            tokens.set(at, cousins.get(Edit.of(edit.value() >>> 1, cousins.size())));
        }
    }

    private static void line(List<String> tokens, Edit edit, List<String> from) {
        int end = lineEnd(tokens, Edit.of(edit.place(), tokens.size()));
        if (edit.kind() % 16 == 3) {
            tokens.subList(lineStart(tokens, end), end).clear();
            return;
        }
        int otherEnd = lineEnd(from, Edit.of(edit.value() >>> 1, from.size()));
        tokens.addAll(end, List.copyOf(from.subList(lineStart(from, otherEnd), otherEnd)));
    }

    /** Behind the line's end. */
    private static int lineEnd(List<String> tokens, int at) {
        int end = tokens.subList(at, tokens.size()).indexOf("\n");
        return end < 0 ? tokens.size() : at + end + 1;
    }

    private static int lineStart(List<String> tokens, int end) {
        return tokens.subList(0, Math.max(end - 1, 0)).lastIndexOf("\n") + 1;
    }

    private static boolean isWord(String token) {
        return !token.isEmpty() && Character.isLetterOrDigit(token.charAt(0));
    }

    private static boolean isNumber(String token) {
        return !token.isEmpty() && Character.isDigit(token.charAt(0));
    }

    private static void change(List<String> tokens, Edit edit) {
        if (tokens.isEmpty()) {
            return;
        }
        int at = Edit.of(edit.place(), tokens.size());
        String word = WORDS.get(Edit.of(edit.value(), WORDS.size()));
        String other = tokens.get(Edit.of(edit.value(), tokens.size()));
        switch (Edit.of(edit.kind(), 8)) {
            case 0, 1 -> tokens.set(at, word);
            case 2 -> tokens.set(at, other);
            case 3 -> tokens.remove(at);
            case 4 -> tokens.add(at, tokens.get(at));
            case 5 -> tokens.add(at, word);
            case 6 -> tokens.add(at, other);
            default -> {
                // A token that was repeated is only doubled: edits that multiply each other fill the memory themselves.
                String token = tokens.get(at);
                tokens.set(at, token.repeat(edit.value() % 16 == 0 && token.length() < REPEATED ? REPEATED : 2));
            }
        }
    }
}
