package dev.headroom.model.importer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.headroom.model.error.UserInputException;
import java.io.IOException;
import java.io.InputStream;

/**
 * A cursor over a JSON document. Every reader starts at the first token of a value and leaves at its last; values that
 * nobody reads are skipped. Loops, not callbacks: a command line reads one file, and dozens of lambda classes would
 * cost more to load than the file to read.
 */
final class Json {
    private static final int DEEPEST = 400;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(1000)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    /** Reads a document. */
    @FunctionalInterface
    interface DocumentHandler {
        void document(Json json) throws IOException;
    }

    private final JsonParser parser;

    private Json(JsonParser parser) {
        this.parser = parser;
    }

    /**
     * Reads a document from its first token to its end.
     *
     * @param where names the document in messages
     */
    static void read(InputStream stream, String where, DocumentHandler handler) {
        try (JsonParser parser = FACTORY.createParser(stream)) {
            Json json = new Json(parser);
            try {
                if (parser.nextToken() == null) {
                    throw new UserInputException("it is empty");
                }
                handler.document(json);
            } catch (UserInputException e) {
                throw new UserInputException(where + json.place() + ": " + e.getMessage(), e);
            }
            if (parser.nextToken() != null) {
                throw new UserInputException(where + " goes on after its end");
            }
        } catch (JsonParseException e) {
            throw new UserInputException(where + " is not valid JSON (cut off or damaged?): " + oneLine(e), e);
        } catch (JsonProcessingException e) {
            throw new UserInputException(where + " cannot be read: " + oneLine(e), e);
        } catch (IOException e) {
            throw new UserInputException(where + " cannot be read (cut off or damaged?): " + e.getMessage(), e);
        }
    }

    private static String oneLine(JsonProcessingException e) {
        String message =
                String.valueOf(e.getOriginalMessage()).replaceAll("\\s+", " ").replaceAll(" \\(start marker at .*", "");
        String text = message.length() > 160 ? message.substring(0, 160) + "..." : message;
        return e.getLocation() == null
                ? text
                : text + " at byte " + e.getLocation().getByteOffset();
    }

    private String place() {
        String pointer = parser.getParsingContext().pathAsPointer().toString();
        return pointer.isEmpty() ? "" : ", " + pointer;
    }

    /** Enters an object; pass the result to {@link #nextField} until that is false. */
    int object() {
        expect(JsonToken.START_OBJECT, "an object");
        return parser.getParsingContext().getNestingDepth();
    }

    /** Moves to the value of the object's next field, or to its end. */
    boolean nextField(int scope) throws IOException {
        skipUnread(scope);
        if (parser.nextToken() == JsonToken.END_OBJECT) {
            return false;
        }
        parser.nextToken();
        return true;
    }

    /** Name of the field whose value comes first now. */
    String name() throws IOException {
        return parser.currentName();
    }

    /** Enters an array; pass the result to {@link #nextItem} until that is false. */
    int array() {
        expect(JsonToken.START_ARRAY, "a list");
        return parser.getParsingContext().getNestingDepth();
    }

    /** Moves to the array's next item, or to its end. */
    boolean nextItem(int scope) throws IOException {
        skipUnread(scope);
        return parser.nextToken() != JsonToken.END_ARRAY;
    }

    private void skipUnread(int scope) throws IOException {
        if (parser.currentToken().isStructStart() && parser.getParsingContext().getNestingDepth() > scope) {
            parser.skipChildren();
        }
    }

    /** Enters a union, an object of one field, and moves to its value; {@link #endUnion} leaves it. */
    int union() throws IOException {
        int scope = object();
        if (!nextField(scope)) {
            throw new UserInputException("an empty object where one of several kinds is expected");
        }
        return scope;
    }

    void endUnion(int scope) throws IOException {
        if (nextField(scope)) {
            throw new UserInputException("a second field \"" + name() + "\" where one of several kinds is expected");
        }
    }

    boolean isNull() {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    boolean isString() {
        return parser.currentToken() == JsonToken.VALUE_STRING;
    }

    boolean isObject() {
        return parser.currentToken() == JsonToken.START_OBJECT;
    }

    String string() throws IOException {
        expect(JsonToken.VALUE_STRING, "a text");
        return parser.getText();
    }

    long integer() throws IOException {
        expect(JsonToken.VALUE_NUMBER_INT, "a whole number");
        return parser.getLongValue();
    }

    /** A code of an enumeration; anything beyond 32 bits is none. */
    int code() throws IOException {
        long value = integer();
        return value == (int) value ? (int) value : -1;
    }

    /** A number; PyTorch writes infinities and NaN as text. */
    double real() throws IOException {
        if (isString()) {
            return switch (parser.getText()) {
                case "Infinity", "inf" -> Double.POSITIVE_INFINITY;
                case "-Infinity", "-inf" -> Double.NEGATIVE_INFINITY;
                case "NaN", "nan" -> Double.NaN;
                default -> throw wrong("a number");
            };
        }
        if (!parser.currentToken().isNumeric()) {
            throw wrong("a number");
        }
        return parser.getDoubleValue();
    }

    boolean bool() {
        JsonToken token = parser.currentToken();
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
            throw wrong("true or false");
        }
        return token == JsonToken.VALUE_TRUE;
    }

    private void expect(JsonToken token, String what) {
        if (parser.currentToken() != token) {
            throw wrong(what);
        }
    }

    private UserInputException wrong(String expected) {
        return new UserInputException("expected " + expected + " but found "
                + switch (parser.currentToken()) {
                    case START_OBJECT -> "an object";
                    case START_ARRAY -> "a list";
                    case VALUE_NULL -> "nothing";
                    case VALUE_STRING -> "a text";
                    case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
                    case VALUE_TRUE, VALUE_FALSE -> "true or false";
                    default -> "something else";
                });
    }
}
