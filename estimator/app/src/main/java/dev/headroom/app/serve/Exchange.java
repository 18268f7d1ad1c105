package dev.headroom.app.serve;

import dev.headroom.app.command.ErrorLine;
import dev.headroom.app.words.Door;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.jspecify.annotations.Nullable;

/**
 * From a request of Jetty to an answer. Bodies are awaited without a thread, so that a thousand slow clients hold
 * nobody up.
 */
final class Exchange extends Handler.Abstract.NonBlocking {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            + " connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /** What an open page calls itself: each question of it takes the place of the one before. */
    private static final String PAGE = "Headroom-Page";

    private final Endpoints endpoints;
    private final Limits limits;

    Exchange(Endpoints endpoints, Limits limits) {
        this.endpoints = endpoints;
        this.limits = limits;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        long begun = System.nanoTime();
        String path = Request.getPathInContext(request);
        var unused = reply(request, path, begun).whenComplete((reply, failure) -> {
            Reply said = reply != null ? reply : Reply.refused(refused(failure));
            endpoints.metrics().answered(endpoints.label(path), said.status(), System.nanoTime() - begun);
            send(said, request, response, callback);
        });
        return true;
    }

    private CompletableFuture<Reply> reply(Request request, String path, long begun) {
        try {
            allow(request, path);
            String method = request.getMethod();
            if (method.equals("GET") || method.equals("HEAD")) {
                return CompletableFuture.completedFuture(endpoints.get(path));
            }
            if (!method.equals("POST") || !endpoints.takesBody(path)) {
                throw new Refused(405, path + " does not take " + method);
            }
            return body(request)
                    .thenCompose(body -> endpoints.post(
                            path, body, begun, request.getHeaders().get(PAGE)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void allow(Request request, String path) {
        String token = limits.token();
        if (token == null || Endpoints.isOpen(path)) {
            return;
        }
        byte[] given = String.valueOf(request.getHeaders().get(HttpHeader.AUTHORIZATION))
                .getBytes(StandardCharsets.UTF_8);
        if (!MessageDigest.isEqual(given, ("Bearer " + token).getBytes(StandardCharsets.UTF_8))) {
            throw new Refused(401, "give the service's token in the header 'Authorization: Bearer TOKEN'");
        }
    }

    private CompletableFuture<byte[]> body(Request request) {
        long length = request.getLength();
        if (length > limits.body()) {
            throw tooLarge();
        }
        CompletableFuture<byte[]> body = new CompletableFuture<>();
        Content.Source.asByteArrayAsync(request, (int) limits.body(), Promise.Invocable.toPromise(body));
        return body.orTimeout(limits.time().toMillis(), TimeUnit.MILLISECONDS);
    }

    private Refused tooLarge() {
        return new Refused(
                413,
                "more than the " + (limits.body() >> 20) + " MiB that a request may have; archives"
                        + " need no weights");
    }

    private Refused refused(@Nullable Throwable failure) {
        Throwable e =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (e instanceof Refused refused) {
            return refused;
        }
        if (e instanceof IllegalStateException) { // more than Jetty was told to take in
            return tooLarge();
        }
        if (e instanceof TimeoutException || e instanceof IOException) {
            return new Refused(
                    408, "the request did not arrive in " + limits.time().toSeconds() + " s");
        }
        if (e == null || !ErrorLine.isBadInput(e)) {
            return new Refused(500, e == null ? "defect" : ErrorLine.reason(e, Door.SERVICE));
        }
        return new Refused(400, ErrorLine.reason(e, Door.SERVICE));
    }

    private void send(Reply reply, Request request, Response response, Callback callback) {
        response.setStatus(reply.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.type());
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().length);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache");
        response.getHeaders().put("Content-Security-Policy", POLICY);
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        response.getHeaders().put("Referrer-Policy", "no-referrer");
        if (reply.status() == 429) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, 1);
        }
        if (reply.status() >= 400 && !request.consumeAvailable()) {
            // Jetty then closes, and who is not told so would send the next request into the closed connection.
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        if (reply.status() == 401) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        }
        boolean head = request.getMethod().equals("HEAD");
        response.write(true, head ? null : ByteBuffer.wrap(reply.body()), callback);
    }
}
