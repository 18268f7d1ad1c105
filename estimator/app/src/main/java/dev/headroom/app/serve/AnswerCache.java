package dev.headroom.app.serve;

import dev.headroom.app.ask.Question;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers that were given last, up to so many bytes of them: the same question has the same answer. */
final class AnswerCache {
    /** A question to an endpoint. */
    record Key(String endpoint, Question question) {}

    private final long most;
    private long bytes;
    private final Map<Key, byte[]> answers = new LinkedHashMap<>(16, 0.75f, true);

    AnswerCache(long most) {
        this.most = most;
    }

    synchronized byte @Nullable [] get(Key key) {
        return answers.get(key);
    }

    synchronized void put(Key key, byte[] answer) {
        byte[] before = answers.put(key, answer);
        bytes += answer.length - (before == null ? 0 : before.length);
        while (bytes > most) {
            Key oldest = answers.keySet().iterator().next();
            byte[] gone = answers.remove(oldest);
            bytes -= gone == null ? 0 : gone.length;
        }
    }
}
