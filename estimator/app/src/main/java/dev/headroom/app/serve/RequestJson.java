package dev.headroom.app.serve;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.app.ask.Question;
import dev.headroom.app.option.WrittenOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The body of a question: {@code {"model": NAME, "options": {"batch": 8, "amp": "bf16", "fused": true}}}. */
final class RequestJson {
    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(16).build())
            .build());

    /** Passes of a run; the third step is like any later one. */
    private static final long MOST_PASSES = 256;

    private RequestJson() {}

    /**
     * Reads a question.
     *
     * @throws Refused with 400 for one that cannot be
     */
    static Question question(byte[] body) {
        JsonNode root = tree(body);
        Map<String, List<String>> options = new LinkedHashMap<>();
        JsonNode given = root.path("options");
        if (!root.path("model").isTextual() || !given.isMissingNode() && !given.isObject()) {
            throw new Refused(
                    400,
                    "the body is {\"model\": NAME, \"options\": {\"batch\": 8}}: options are those of"
                            + " headroom predict, without their dashes");
        }
        root.fieldNames().forEachRemaining(name -> {
            if (!name.equals("model") && !name.equals("options")) {
                throw new Refused(400, "'" + name + "' is neither 'model' nor 'options'");
            }
        });
        given.properties().forEach(option -> {
            WrittenOptions.check(option.getKey(), List.of());
            if (!option.getValue().isNull()) {
                options.put(option.getKey(), texts(option.getKey(), option.getValue()));
            }
        });
        modest(options);
        return new Question(root.path("model").asText(), options);
    }

    private static JsonNode tree(byte[] body) {
        try {
            JsonNode root = MAPPER.readTree(body);
            return root == null ? MAPPER.missingNode() : root;
        } catch (JsonProcessingException e) {
            throw new Refused(400, "the body is no JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new Refused(400, "the body cannot be read: " + e.getMessage());
        }
    }

    private static List<String> texts(String option, JsonNode value) {
        List<String> texts = new ArrayList<>();
        if (value.isArray()) {
            value.forEach(item -> texts.add(text(option, item)));
        } else {
            texts.add(text(option, value));
        }
        return texts;
    }

    private static String text(String option, JsonNode value) {
        if (value.isObject() && WrittenOptions.mayNameFile(option)) {
            return value.toString();
        }
        if (!value.isValueNode() || value.isNull()) {
            throw new Refused(400, "options." + option + ": a text, a number, true, false or a list of them");
        }
        if (WrittenOptions.mayNameFile(option) && !value.asText().strip().startsWith("{")) {
            throw new Refused(400, "options." + option + ": this service reads no files; give an object of JSON");
        }
        return value.asText();
    }

    /** Refuses runs that are longer than anything that they could tell. */
    private static void modest(Map<String, List<String>> options) {
        long passes = whole(options, "steps", 3) * whole(options, "accumulate", 1);
        if (passes > MOST_PASSES || whole(options, "microbatches", 1) > MOST_PASSES) {
            throw new Refused(
                    400, "more than " + MOST_PASSES + " passes are for the command line; three steps tell all");
        }
    }

    private static long whole(Map<String, List<String>> options, String word, long otherwise) {
        List<String> texts = options.getOrDefault(word, List.of());
        return texts.size() == 1 && texts.get(0).matches("\\d{1,9}") ? Long.parseLong(texts.get(0)) : otherwise;
    }
}
