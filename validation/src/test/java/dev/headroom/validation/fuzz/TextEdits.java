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

    private TextEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        String text = new String(seed, StandardCharsets.UTF_8);
        List<String> tokens = new ArrayList<>(
                TOKEN.matcher(text).results().map(MatchResult::group).toList());
        program.edits().forEach(edit -> change(tokens, edit));
        return String.join("", tokens).getBytes(StandardCharsets.UTF_8);
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
            default -> tokens.set(at, tokens.get(at).repeat(edit.value() % 16 == 0 ? 5_000 : 2));
        }
    }
}
