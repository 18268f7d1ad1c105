package dev.headroom.validation.fuzz;

import dev.headroom.app.command.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

/** The service, begun in this process when the first request comes. */
final class Posting implements AutoCloseable {
    private static final int DONE = 200;
    private static final int BROKEN = 500;

    private final HttpClient client = HttpClient.newHttpClient();
    private final CompletableFuture<String> address = new CompletableFuture<>();
    private final Thread service = new Thread(
            () -> Main.run(new PrintWriter(new Listening()), new PrintWriter(System.err), "serve", "--port", "0"));

    /** Looks for the address in what the service prints. */
    private final class Listening extends Writer {
        private final StringBuilder said = new StringBuilder();

        @Override
        public void write(char[] text, int from, int length) {
            said.append(text, from, length);
            int at = said.indexOf("http://");
            int end = said.indexOf("\n", Math.max(at, 0));
            if (at >= 0 && end > at) {
                address.complete(said.substring(at, end).strip().split("\\s")[0]);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** What the service answers. */
    Judge.Answer answer(String path, byte[] body) throws IOException {
        if (!service.isAlive() && !address.isDone()) {
            service.setDaemon(true);
            service.start();
        }
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address.join() + path))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                    .build();
            HttpResponse<String> reply = client.send(request, HttpResponse.BodyHandlers.ofString());
            boolean result = reply.statusCode() == DONE;
            int refused = reply.statusCode() >= BROKEN ? 1 : 2;
            return new Judge.Answer(
                    result ? 0 : refused,
                    result ? reply.body() : "",
                    result ? "" : reply.statusCode() + " " + reply.body().strip());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Judge.Answer(2, "", "interrupted");
        }
    }

    @Override
    public void close() {
        service.interrupt();
    }
}
