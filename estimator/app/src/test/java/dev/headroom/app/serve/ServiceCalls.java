package dev.headroom.app.serve;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** What the service's tests send, and read of the answers. */
final class ServiceCalls {
    static final ObjectMapper JSON = new ObjectMapper();
    static final HttpClient CLIENT = HttpClient.newHttpClient();
    static final Path MODELS = Path.of("../../fixtures/models");
    static final String QUESTION = "{\"model\": \"mlp-xor.pt2\", \"options\": {\"batch\": 8}}";

    private ServiceCalls() {}

    /** A service of the project's models on a port that is free. */
    static Service started() throws IOException {
        return Service.start("127.0.0.1", 0, limits(64 << 20, 60, 256, null));
    }

    static Limits limits(long body, int seconds, int waiting, String token) {
        return new Limits(body, Duration.ofSeconds(seconds), 2, waiting, 8 << 20, MODELS, token);
    }

    static HttpRequest.Builder to(Service to, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + to.port() + path));
    }

    static HttpResponse<String> get(Service to, String path) throws Exception {
        return CLIENT.send(to(to, path).build(), BodyHandlers.ofString());
    }

    static HttpResponse<String> post(Service to, String path, byte[] body) throws Exception {
        return CLIENT.send(to(to, path).POST(BodyPublishers.ofByteArray(body)).build(), BodyHandlers.ofString());
    }

    static HttpResponse<String> post(Service to, String path, String body) throws Exception {
        return post(to, path, body.getBytes(StandardCharsets.UTF_8));
    }

    /** The one line of an answer that refuses. */
    static String error(HttpResponse<String> response) throws IOException {
        String line = JSON.readTree(response.body()).get("error").asText();
        assertFalse(line.contains("\n"));
        return line;
    }
}
