package dev.headroom.validation.fuzz;

import dev.headroom.validation.fuzz.Program.Edit;
import dev.headroom.validation.fuzz.SettingWords.Written;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Changes a command line, an argument a line: settings are added, left out or given other values. */
final class ArgumentEdits {
    /** Edits of this kind and above change the words as text. */
    private static final int OF_TEXT = 224;

    private ArgumentEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        List<String> words =
                new ArrayList<>(new String(seed, StandardCharsets.UTF_8).lines().toList());
        List<Edit> text = new ArrayList<>();
        for (Edit edit : program.edits()) {
            if (edit.kind() >= OF_TEXT) {
                text.add(edit);
            } else {
                change(words, edit);
            }
        }
        byte[] changed = (String.join("\n", words) + "\n").getBytes(StandardCharsets.UTF_8);
        return text.isEmpty() ? changed : TextEdits.apply(changed, new Program(program.reader(), program.seed(), text));
    }

    private static void change(List<String> words, Edit edit) {
        if (edit.kind() % 2 == 0) {
            Written setting = SettingWords.of(edit.place());
            words.add("--" + setting.word());
            if (setting.takesValue()) {
                words.add(setting.value(edit));
            }
            return;
        }
        int at = 1 + Edit.of(edit.place(), words.size() - 1);
        if (at >= words.size()) {
            return;
        }
        boolean isValue = !words.get(at).startsWith("--") && words.get(at - 1).startsWith("--");
        if (isValue && edit.kind() % 8 != 7) {
            words.set(at, SettingWords.named(words.get(at - 1).substring(2)).value(edit));
        } else {
            words.remove(at);
            if (isValue) {
                words.remove(at - 1);
            }
        }
    }
}
