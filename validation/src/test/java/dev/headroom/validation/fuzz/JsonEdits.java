package dev.headroom.validation.fuzz;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.validation.fuzz.Program.Edit;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes a document of JSON, and leaves it a document. */
final class JsonEdits {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(100_000).build())
            .build());
    private static final int DEPTH = 20_000;

    /** A key that is written a second time under its own name. */
    private static final String AGAIN = "\\u0007";

    /** A value that is written as nested lists. */
    private static final String DEEP = "\"\\u0006\"";

    /** Values that are written as they stand here, some of which JSON does not have. */
    private static final List<String> WRITTEN = List.of(
            "NaN",
            "-Infinity",
            "1e999",
            "-0.0",
            "1e-400",
            "01",
            "9".repeat(2_000),
            "2.0",
            "-0.5",
            "1e18",
            "[1,]",
            "'x'",
            "");

    /** Edits of lower kinds put what may stand in a place. */
    private static final int OF_ANY_KIND = 176;

    private static final long[] NUMBERS = {
        0, 1, -1, 2, 3, 5, 7, 16, 64, 65_537, Integer.MAX_VALUE, 1L << 31, 1L << 40, 1L << 62, Long.MAX_VALUE
    };

    private static final double[] REALS = {0, -1, 0.5, 1, 1.5, 2, 1e-9, 1e9, 1e19, 1e300, -1e300};

    private static final List<JsonNode> VALUES = List.of(
            NODES.numberNode(0),
            NODES.numberNode(-1),
            NODES.numberNode(1),
            NODES.numberNode(3),
            NODES.numberNode(65_537),
            NODES.numberNode(Integer.MAX_VALUE),
            NODES.numberNode(1L << 31),
            NODES.numberNode(1L << 40),
            NODES.numberNode(Long.MAX_VALUE),
            NODES.numberNode(Long.MIN_VALUE),
            NODES.numberNode(BigInteger.ONE.shiftLeft(80)),
            NODES.numberNode(0.5),
            NODES.numberNode(1e300),
            NODES.nullNode(),
            NODES.booleanNode(true),
            NODES.booleanNode(false),
            NODES.textNode(""),
            NODES.textNode("x"),
            NODES.textNode("0"),
            NODES.textNode("-1"),
            NODES.textNode("a.b.c"),
            NODES.textNode("../../x\n\u0000"),
            NODES.objectNode(),
            NODES.arrayNode(),
            NODES.arrayNode().add(1),
            NODES.objectNode().put("as_int", -7));

    /** What stands in a text again and again: a pattern that tries each as its first takes the square of their number. */
    private static final List<String> RUNS = List.of(" ", "a", "_", "0", "(", "\"", ".", "a.", "a,", "\n", "-", "/");

    private static final int RUN = 20_000;

    /** Elements of a list that was made long. */
    private static final int MANY = 2_000;

    /** Characters that all of them may have. */
    private static final int ROOM = 1 << 20;

    /** A value and where it stands. */
    private record Place(@Nullable JsonNode parent, String key, int index, JsonNode node) {
        void put(JsonNode value) {
            if (parent instanceof ObjectNode object) {
                object.set(key, value);
            } else if (parent instanceof ArrayNode array && index < array.size()) {
                array.set(index, value);
            }
        }

        void remove() {
            if (parent instanceof ObjectNode object) {
                object.remove(key);
            } else if (parent instanceof ArrayNode array && index < array.size()) {
                array.remove(index);
            }
        }

        void again(JsonNode other) {
            if (parent instanceof ObjectNode object) {
                object.set(key + '\u0007', other);
            } else if (parent instanceof ArrayNode array) {
                array.insert(Math.min(index, array.size()), other);
            }
        }

        void rename(String name) {
            if (parent instanceof ObjectNode object) {
                object.set(name, node);
                object.remove(key);
            }
        }
    }

    private JsonEdits() {}

    static byte[] apply(byte[] seed, Program program) {
        return apply(seed, program.donor(), program.edits());
    }

    /** @param donor a document of the same kind, parts of which are tried in the first */
    static byte[] apply(byte[] seed, byte[] donor, List<Edit> edits) {
        try {
            JsonNode root = MAPPER.readTree(seed);
            List<Place> others = new ArrayList<>();
            if (donor != seed && edits.stream().anyMatch(edit -> edit.kind() < OF_ANY_KIND)) {
                collect(MAPPER.readTree(donor), "", others);
            }
            for (Edit edit : edits) {
                List<Place> places = new ArrayList<>();
                collect(root, "", places);
                if (places.isEmpty()) {
                    continue;
                }
                Place place = places.get(Edit.of(edit.place(), places.size()));
                if (edit.kind() < OF_ANY_KIND) {
                    alike(place, edit, places, others);
                } else {
                    change(place, edit, places);
                }
            }
            String text = MAPPER.writeValueAsString(root).replace(AGAIN, "");
            for (int i = 0; i < WRITTEN.size(); i++) {
                text = text.replace("\"\\u0005" + i + "\"", WRITTEN.get(i));
            }
            return text.replace(DEEP, "[".repeat(DEPTH) + "]".repeat(DEPTH)).getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            return seed;
        }
    }

    /** @param key under which the node stands, with brackets for each list that it is in */
    private static void collect(JsonNode node, String key, List<Place> places) {
        node.properties().forEach(entry -> {
            places.add(new Place(node, entry.getKey(), 0, entry.getValue()));
            collect(entry.getValue(), entry.getKey(), places);
        });
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            places.add(new Place(node, key + "[]", i, node.get(i)));
            collect(node.get(i), key + "[]", places);
        }
    }

    /** Puts what may stand there: a reader is past its first checks before it finds something wrong. */
    private static void alike(Place place, Edit edit, List<Place> places, List<Place> others) {
        JsonNode node = place.node();
        List<Place> from = others.isEmpty() || edit.value() % 2 == 0 ? places : others;
        List<Place> cousins = from.stream()
                .filter(other -> other.key().equals(place.key())
                        && other.node().getNodeType() == node.getNodeType()
                        && !other.node().equals(node))
                .toList();
        if (cousins.isEmpty() && !node.isNumber() && !node.isBoolean()) {
            change(place, edit, places);
            return;
        }
        JsonNode cousin = cousins.isEmpty()
                ? node
                : cousins.get(Edit.of(edit.value() >>> 1, cousins.size())).node();
        switch (Edit.of(edit.kind(), 8)) {
            case 0, 1, 2 -> place.put(sameKind(node, cousin, edit));
            case 3, 4 -> place.put(cousins.isEmpty() ? sameKind(node, cousin, edit) : cousin.deepCopy());
            case 5 -> place.remove();
            case 6 -> place.again(cousin.deepCopy());
            default -> {
                if (node instanceof ObjectNode object && cousin instanceof ObjectNode other) {
                    other.properties().forEach(entry -> {
                        if (!object.has(entry.getKey())) {
                            object.set(entry.getKey(), entry.getValue().deepCopy());
                        }
                    });
                } else {
                    place.put(sameKind(node, cousin, edit));
                }
            }
        }
    }

    private static JsonNode sameKind(JsonNode node, JsonNode cousin, Edit edit) {
        if (node.isIntegralNumber()) {
            long number = node.asLong();
            return switch (Edit.of(edit.value(), 4)) {
                case 0 -> NODES.numberNode(number + 1);
                case 1 -> NODES.numberNode(number * 2 - 1);
                case 2 -> NODES.numberNode(number / 2);
                default -> NODES.numberNode(NUMBERS[Edit.of(edit.value() >>> 2, NUMBERS.length)]);
            };
        }
        if (node.isNumber()) {
            return NODES.numberNode(REALS[Edit.of(edit.value(), REALS.length)]);
        }
        return node.isBoolean() ? NODES.booleanNode(!node.asBoolean()) : cousin.deepCopy();
    }

    private static void change(Place place, Edit edit, List<Place> places) {
        JsonNode node = place.node();
        Place other = places.get(Edit.of(edit.value(), places.size()));
        JsonNode value = VALUES.get(Edit.of(edit.value(), VALUES.size())).deepCopy();
        if (edit.kind() % 32 == 31) {
            place.put(NODES.textNode("\u0005" + Edit.of(edit.value(), WRITTEN.size())));
            return;
        }
        switch (Edit.of(edit.kind(), 10)) {
            case 0, 1 -> place.put(value);
            case 2 -> place.put(other.node().deepCopy());
            case 3 -> place.remove();
            case 4 -> place.again(edit.value() % 2 == 0 ? node.deepCopy() : value);
            case 5 -> place.rename(other.key());
            case 6 -> place.put(node.isTextual() ? NODES.numberNode(7) : NODES.textNode(node.asText()));
            case 7 -> place.put(edit.value() % 2 == 0 ? NODES.arrayNode().add(node) : NODES.textNode("\u0006"));
            case 8 -> place.put(node.isNumber() ? NODES.numberNode(node.asLong() + edit.value() % 9) : value);
            default -> {
                if (node.isTextual()) {
                    boolean run = edit.value() % 4 == 0;
                    place.put(NODES.textNode(
                            node.asText() + (run ? run(edit) : other.node().asText())));
                } else if (node instanceof ArrayNode array && !array.isEmpty()) {
                    repeat(array, edit);
                }
            }
        }
    }

    private static String run(Edit edit) {
        return RUNS.get(Edit.of(edit.value() >>> 2, RUNS.size())).repeat(RUN);
    }

    /** Of a list that was repeated already, nothing more: such edits multiply each other. */
    private static void repeat(ArrayNode array, Edit edit) {
        JsonNode element = array.get(Edit.of(edit.value(), array.size()));
        int room = ROOM / Math.max(1, element.toString().length());
        for (int i = array.size(); i < Math.min(MANY, room); i++) {
            array.add(element.deepCopy());
        }
    }
}
