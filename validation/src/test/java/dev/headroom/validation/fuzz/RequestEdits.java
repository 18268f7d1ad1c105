package dev.headroom.validation.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.validation.fuzz.Program.Edit;
import dev.headroom.validation.fuzz.SettingWords.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Changes what the service is asked: settings are added to its options, the rest is changed as other JSON. */
final class RequestEdits {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Edits of lower kinds add a setting. */
    private static final int OF_JSON = 128;

    private RequestEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        List<Edit> json = new ArrayList<>();
        try {
            JsonNode root = MAPPER.readTree(seed);
            for (Edit edit : program.edits()) {
                if (edit.kind() < OF_JSON && root.get("options") instanceof ObjectNode options) {
                    add(options, edit);
                } else {
                    json.add(edit);
                }
            }
            byte[] changed = MAPPER.writeValueAsBytes(root);
            return json.isEmpty() ? changed : JsonEdits.apply(changed, changed, json);
        } catch (IOException e) {
            return seed;
        }
    }

    private static void add(ObjectNode options, Edit edit) {
        Written setting = SettingWords.of(edit.place());
        String key = setting.word().replace('-', '_');
        String value = setting.value(edit);
        if (!setting.takesValue()) {
            options.put(key, edit.value() % 2 == 0);
        } else if (value.matches("-?\\d{1,18}")) {
            options.put(key, Long.parseLong(value));
        } else if (value.matches("-?\\d{1,9}\\.\\d+")) {
            options.put(key, Double.parseDouble(value));
        } else {
            options.put(key, value);
        }
    }
}
