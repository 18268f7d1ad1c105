package dev.headroom.model.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON as maps, lists, texts, {@code Long}, {@code Double}, {@code Boolean} and {@code null}. Jackson's mapper would
 * cost a command line more to load than a config to read.
 */
public final class JsonTree {
    private static final int DEEPEST = 100;
    private static final long LONGEST = 16L << 20;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxDocumentLength(LONGEST)
                    .maxNumberLength(1000)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private JsonTree() {}

    /**
     * Reads an object.
     *
     * @param where names the document in messages
     */
    public static Map<String, @Nullable Object> object(InputStream in, String where) {
        try (JsonParser json = FACTORY.createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new UserInputException(where + " is no JSON object");
            }
            Map<String, @Nullable Object> read = members(json);
            if (json.nextToken() != null) {
                throw new UserInputException(where + " goes on after its end");
            }
            return read;
        } catch (JsonProcessingException e) {
            throw new UserInputException(where + " is not valid JSON: " + oneLine(e), e);
        } catch (IOException e) {
            throw new UserInputException(where + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Reads a value that was written on the command line. */
    public static @Nullable Object value(String text, String where) {
        try (JsonParser json = FACTORY.createParser(new StringReader(text))) {
            JsonToken first = json.nextToken();
            if (first == null) {
                throw new UserInputException(where + " has no value");
            }
            Object read = value(json, first);
            if (json.nextToken() != null) {
                throw new UserInputException(where + " goes on after its value");
            }
            return read;
        } catch (JsonProcessingException e) {
            throw new UserInputException(where + " is not valid JSON (texts need quotes): " + oneLine(e), e);
        } catch (IOException e) {
            throw new UserInputException(where + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static String oneLine(JsonProcessingException e) {
        String at = e.getLocation() == null
                ? ""
                : ", line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
        return e.getOriginalMessage().lines().findFirst().orElse("it is damaged") + at;
    }

    private static Map<String, @Nullable Object> members(JsonParser json) throws IOException {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            out.put(name, value(json, json.nextToken()));
        }
        return out;
    }

    private static @Nullable Object value(JsonParser json, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> members(json);
            case START_ARRAY -> {
                List<@Nullable Object> items = new ArrayList<>();
                for (JsonToken t = json.nextToken(); t != JsonToken.END_ARRAY; t = json.nextToken()) {
                    items.add(value(json, t));
                }
                yield items;
            }
            case VALUE_NUMBER_INT -> whole(json);
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> json.getText();
        };
    }

    /** Integers beyond 64 bits, such as lengths of 1e30 tokens, are numbers like others. */
    private static Object whole(JsonParser json) throws IOException {
        boolean fits = json.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
        return fits ? (Object) json.getLongValue() : (Object) json.getDoubleValue();
    }
}
