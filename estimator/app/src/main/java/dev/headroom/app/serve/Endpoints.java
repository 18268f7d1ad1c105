package dev.headroom.app.serve;

import dev.headroom.app.ask.Question;
import dev.headroom.app.catalogue.DeviceTable;
import dev.headroom.model.device.GpuCatalogue;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the service answers, by path. */
final class Endpoints implements AutoCloseable {
    private static final long CACHE = 64L << 20;

    private final Workers workers;
    private final Metrics metrics;
    private final AnswerCache cache = new AnswerCache(CACHE);
    private final Map<String, Function<Question, byte[]>> questions;
    private final Uploads uploads;

    Endpoints(Limits limits, Store store) {
        workers = new Workers(limits);
        metrics = new Metrics(workers);
        uploads = new Uploads(store);
        Answers answers = new Answers(store);
        questions = Map.of(
                "/v1/predict", answers::predict,
                "/v1/advise", answers::advise,
                "/v1/strategies", answers::strategies,
                "/v1/overview", answers::overview);
    }

    /** Whether a request needs no token: what a balancer asks, and the page itself, which has nothing to hide. */
    static boolean isOpen(String path) {
        return path.equals("/healthz") || Assets.at(path) != null;
    }

    /** What {@code /metrics} calls a path. */
    String label(String path) {
        return questions.containsKey(path) || path.equals("/v1/models") || isOpen(path) ? path : "other";
    }

    Metrics metrics() {
        return metrics;
    }

    /**
     * Answers a request without a body.
     *
     * @throws Refused with 404 or 405
     */
    Reply get(String path) {
        Reply asset = Assets.at(path);
        if (asset != null) {
            return asset;
        }
        return switch (path) {
            case "/healthz" -> new Reply(200, "text/plain", "ok\n".getBytes(StandardCharsets.UTF_8));
            case "/metrics" -> new Reply(200, Metrics.TYPE, metrics.text());
            case "/v1/models" -> Reply.json(uploads.list());
            case "/v1/devices" ->
                Reply.json(Answers.bytes(out -> DeviceTable.writeJson(GpuCatalogue.all(), new PrintWriter(out, true))));
            default -> {
                if (questions.containsKey(path)) {
                    throw new Refused(405, path + " takes POST");
                }
                throw new Refused(404, path + " is nothing here; /openapi.json lists what is");
            }
        };
    }

    /** Whether a path takes a body. */
    boolean takesBody(String path) {
        return questions.containsKey(path) || path.equals("/v1/models");
    }

    /**
     * Answers a request with a body.
     *
     * @param begun of the request, as {@link System#nanoTime}
     * @param asker who needs no answer to the question before any more, or {@code null}
     * @return completes with the answer or with {@link Refused}
     */
    CompletableFuture<Reply> post(String path, byte[] body, long begun, @Nullable String asker) {
        if (path.equals("/v1/models")) {
            return workers.compute(begun, null, () -> uploads.take(body)).thenApply(Reply::json);
        }
        Question question = RequestJson.question(body);
        AnswerCache.Key key = new AnswerCache.Key(path, question);
        byte @Nullable [] known = cache.get(key);
        if (known != null) {
            metrics.fromCache();
            return CompletableFuture.completedFuture(Reply.json(known));
        }
        Function<Question, byte[]> answer = Objects.requireNonNull(questions.get(path), path);
        return workers.compute(begun, asker, () -> {
                    byte[] bytes = answer.apply(question);
                    cache.put(key, bytes);
                    return bytes;
                })
                .thenApply(Reply::json);
    }

    @Override
    public void close() {
        workers.close();
    }
}
