package dev.headroom.app.page;

import com.fasterxml.jackson.core.JsonGenerator;
import it.unimi.dsi.fastutil.objects.Object2IntLinkedOpenHashMap;
import java.io.IOException;

/** Numbers for strings that occur often, so that each is written once. */
final class Words {
    private final Object2IntLinkedOpenHashMap<String> numbers = new Object2IntLinkedOpenHashMap<>();

    int number(String word) {
        int next = numbers.size();
        int known = numbers.putIfAbsent(word, next);
        return numbers.size() > next ? next : known;
    }

    /** The words in the order of their numbers. */
    void write(JsonGenerator json) throws IOException {
        json.writeStartArray();
        for (String word : numbers.keySet()) {
            json.writeString(word);
        }
        json.writeEndArray();
    }
}
