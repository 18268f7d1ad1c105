package dev.headroom.app.serve;

import static dev.headroom.app.serve.ServiceCalls.CLIENT;
import static dev.headroom.app.serve.ServiceCalls.JSON;
import static dev.headroom.app.serve.ServiceCalls.MODELS;
import static dev.headroom.app.serve.ServiceCalls.QUESTION;
import static dev.headroom.app.serve.ServiceCalls.error;
import static dev.headroom.app.serve.ServiceCalls.get;
import static dev.headroom.app.serve.ServiceCalls.limits;
import static dev.headroom.app.serve.ServiceCalls.post;
import static dev.headroom.app.serve.ServiceCalls.to;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.headroom.app.command.Main;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceTest {
    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = ServiceCalls.started();
    }

    @AfterAll
    static void stop() throws IOException {
        service.close();
    }

    private static String printed(String... args) {
        StringWriter out = new StringWriter();
        Main.run(new PrintWriter(out), new PrintWriter(new StringWriter()), args);
        return out.toString();
    }

    @Test
    void saysWhatTheCommandLineSays() throws Exception {
        HttpResponse<String> predicted = post(
                service,
                "/v1/predict",
                "{\"model\": \"resnet18-i224.pt2\", \"options\": {\"batch\": 16, \"gpu\": \"rtx-3060\", \"amp\":"
                        + " \"bf16\", \"fused\": true, \"checkpoint\": null}}");
        assertEquals(200, predicted.statusCode());
        String model = MODELS.resolve("resnet18-i224.pt2").toString();
        assertEquals(
                printed("predict", model, "--batch", "16", "--gpu", "rtx-3060", "--amp", "bf16", "--fused", "--json"),
                predicted.body());
        HttpResponse<String> advised = post(
                service, "/v1/advise", "{\"model\": \"mlp-xor.pt2\", \"options\": {\"batch\": 64, \"gpu\": \"a10\"}}");
        assertEquals(
                printed("advise", MODELS.resolve("mlp-xor.pt2").toString(), "--batch", "64", "--gpu", "a10", "--json"),
                advised.body());
        assertEquals(printed("devices", "--json"), get(service, "/v1/devices").body());
        String several = "{\"model\": \"mlp-xor.pt2\", \"options\": {\"batch\": 64, \"gpu\": \"a10\", \"world\": 4}}";
        assertEquals(
                printed(
                        "advise",
                        MODELS.resolve("mlp-xor.pt2").toString(),
                        "--batch",
                        "64",
                        "--gpus",
                        "4xa10",
                        "--json"),
                post(service, "/v1/strategies", several).body());
        String named = "{\"model\": \"llama-3.2-1b\", \"options\": {\"batch\": 1, \"seq\": 64, \"steps\": 1}}";
        assertEquals(
                printed("predict", "llama-3.2-1b", "--batch", "1", "--seq", "64", "--steps", "1", "--json")
                        .replace("name one with --gpu", "name one with \\\"gpu\\\""),
                post(service, "/v1/predict", named).body());
        assertEquals(
                post(service, "/v1/predict", named).body(),
                post(service, "/v1/predict", named).body());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{|400|the body is no JSON",
                "[]|400|the body is {\"model\"",
                "{\"model\": 3}|400|the body is {\"model\"",
                "{\"model\": \"llama-3.2-1b\", \"option\": {}}|400|'option' is neither",
                "{\"model\": \"llama-3.2-1b\", \"options\": {\"bacth\": 3}}|400|did you mean 'batch'?",
                "{\"model\": \"llama-3.2-1b\", \"options\": {\"batch\": {}}}|400|a text, a number",
                "{\"model\": \"llama-3.2-1b\", \"options\": {\"batch\": 2}}|400|pass \"seq\": N",
                "{\"model\": \"llama-3.2-1b\", \"options\": {\"steps\": 1000}}|400|more than 256 passes",
                "{\"model\": \"/etc/passwd\"}|404|is not known here",
                "{\"model\": \"../models/gpt2-s512.pt2\"}|404|is not known here",
                "{\"model\": \"upload-00000000000000000000000000000000\"}|404|upload it again",
                "{\"model\": \"llama-3.2-1b\", \"options\": {\"ds-config\": \"/etc/passwd\"}}|400|reads no files",
                "{\"model\": \"mlp-xor.pt2\", \"options\": {\"seq\": 8}}|400|\"seq\": the archive has no open size"
            })
    void badQuestionsGetOneLine(String body, int status, String why) throws Exception {
        HttpResponse<String> response = post(service, "/v1/predict", body);
        assertEquals(status, response.statusCode());
        assertTrue(error(response).contains(why), error(response));
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        assertEquals(404, get(service, "/nothing").statusCode());
        assertEquals(400, get(service, "/../../etc/passwd").statusCode());
        assertEquals(405, get(service, "/v1/predict").statusCode());
        assertEquals(405, post(service, "/metrics", "").statusCode());
    }

    @Test
    void strategiesNeedGpusAndTheirMemory() throws Exception {
        assertTrue(error(post(service, "/v1/strategies", QUESTION)).contains("'world'"));
        String unknown = "{\"model\": \"mlp-xor.pt2\", \"options\": {\"batch\": 8, \"world\": 2}}";
        assertTrue(error(post(service, "/v1/strategies", unknown)).contains("add gpu or memory"));
    }

    /** Else a button that takes one would ask for another run, or for none that can be. */
    @Test
    void aStrategysArgumentsAskForIt() throws Exception {
        String options = "\"batch\": 4, \"gpu\": \"rtx-3060\"";
        String question = "{\"model\": \"resnet18-i224.pt2\", \"options\": {" + options + "%s}}";
        JsonNode said = JSON.readTree(post(service, "/v1/strategies", question.formatted(", \"world\": 2"))
                .body());
        for (JsonNode strategy : said.get("strategies")) {
            ObjectNode asked = (ObjectNode) JSON.readTree("{" + options + "}");
            for (int i = 0; i < strategy.get("arguments").size(); i++) {
                String word = strategy.get("arguments").get(i).asText().substring(2);
                String next = strategy.get("arguments").path(i + 1).asText("--");
                asked.put(word, next.startsWith("--") ? "true" : next);
                i += next.startsWith("--") ? 0 : 1;
            }
            String body = "{\"model\": \"resnet18-i224.pt2\", \"options\": " + asked + "}";
            JsonNode prediction =
                    JSON.readTree(post(service, "/v1/predict", body).body());
            assertEquals(strategy.get("peak"), prediction.get("peak"), strategy.toString() + prediction);
        }
    }

    /** Who moves a slider waits for the last answer alone, and for nobody else's. */
    @Test
    void aPagesNextQuestionEndsTheOneBefore() throws Exception {
        String slow = "{\"model\": \"llama-3.1-8b\", \"options\": {\"batch\": 2, \"seq\": 777, \"gpu\": \"rtx-4090\"}}";
        CompletableFuture<HttpResponse<String>> before =
                CLIENT.sendAsync(of("mine", "/v1/advise", slow), BodyHandlers.ofString());
        while (!get(service, "/metrics").body().contains("headroom_workers_running 1.0")) {
            assertFalse(before.isDone());
        }
        assertEquals(
                200,
                CLIENT.send(of("another", "/v1/predict", QUESTION), BodyHandlers.ofString())
                        .statusCode());
        assertFalse(before.isDone());
        String next = QUESTION.replace("8", "9");
        assertEquals(
                200,
                CLIENT.send(of("mine", "/v1/predict", next), BodyHandlers.ofString())
                        .statusCode());
        assertEquals(409, before.join().statusCode());
    }

    private static HttpRequest of(String page, String path, String body) {
        return to(service, path)
                .header("Headroom-Page", page)
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    @Test
    void tellsOfItself() throws Exception {
        assertEquals("ok\n", get(service, "/healthz").body());
        post(service, "/v1/predict", QUESTION);
        String metrics = get(service, "/metrics").body();
        assertTrue(metrics.contains("headroom_requests_total{endpoint=\"/v1/predict\",status=\"200\"}"), metrics);
        assertTrue(metrics.contains("headroom_request_seconds_bucket"), metrics);
        assertTrue(metrics.contains("jvm_memory_used_bytes"), metrics);
        JsonNode api = JSON.readTree(get(service, "/openapi.json").body());
        api.get("paths")
                .properties()
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> {
                    try {
                        int status = method.equals("get")
                                ? get(service, path.getKey()).statusCode()
                                : post(service, path.getKey(), path.getKey().equals("/v1/models") ? "{}" : QUESTION)
                                        .statusCode();
                        assertTrue(status == 200 || status == 400, path.getKey() + " " + status);
                    } catch (Exception e) {
                        throw new AssertionError(path.getKey(), e);
                    }
                }));
    }

    @Test
    void keepsWhatIsSent() throws Exception {
        byte[] archive = Files.readAllBytes(MODELS.resolve("cnn-small.pt2"));
        JsonNode kept = JSON.readTree(post(service, "/v1/models", archive).body());
        assertEquals("archive", kept.get("kind").asText());
        String name = kept.get("name").asText();
        assertEquals(
                name,
                JSON.readTree(post(service, "/v1/models", archive).body())
                        .get("name")
                        .asText());
        JsonNode said =
                JSON.readTree(post(service, "/v1/predict", "{\"model\": \"" + name + "\", \"options\": {\"batch\": 4}}")
                        .body());
        JsonNode printed =
                JSON.readTree(printed("predict", MODELS.resolve("cnn-small.pt2").toString(), "--batch", "4", "--json"));
        assertEquals(printed.get("phases"), said.get("phases"));
        byte[] config = Files.readAllBytes(config());
        kept = JSON.readTree(post(service, "/v1/models", config).body());
        assertEquals("config", kept.get("kind").asText());
        String asked = "{\"model\": \"" + kept.get("name").asText() + "\", \"options\": {\"batch\": 1, \"seq\": 16}}";
        assertEquals(200, post(service, "/v1/predict", asked).statusCode());
    }

    private static Path config() throws IOException {
        try (var files = Files.walk(MODELS.resolve("configs"))) {
            return files.filter(file ->
                            file.endsWith("config.json") || file.toString().endsWith(".json"))
                    .filter(file -> contains(file, "\"model_type\": \"gpt2\"") || contains(file, "\"llama\""))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void oldUploadsMakeRoom() throws Exception {
        Random random = new Random(7);
        Store store = new Store(limits(1 << 20, 1, 1, null));
        String first = store.put(new byte[5 << 20], false);
        byte[] other = new byte[5 << 20];
        random.nextBytes(other);
        String second = store.put(other, false);
        assertTrue(Files.exists(store.path(second)));
        Refused gone = assertThrows(Refused.class, () -> store.path(first));
        assertEquals(404, gone.status());
        store.close();
    }

    @Test
    void wantsItsToken() throws Exception {
        String token = "0123456789abcdef0123";
        try (Service guarded = Service.start("127.0.0.1", 0, limits(1 << 20, 30, 16, token))) {
            byte[] body = QUESTION.getBytes(StandardCharsets.UTF_8);
            assertEquals(401, post(guarded, "/v1/predict", body).statusCode());
            HttpRequest.Builder request = to(guarded, "/v1/predict").POST(BodyPublishers.ofByteArray(body));
            assertEquals(
                    401,
                    CLIENT.send(request.header("Authorization", "Bearer wrong").build(), BodyHandlers.ofString())
                            .statusCode());
            request = to(guarded, "/v1/predict").POST(BodyPublishers.ofByteArray(body));
            assertEquals(
                    200,
                    CLIENT.send(
                                    request.header("Authorization", "Bearer " + token)
                                            .build(),
                                    BodyHandlers.ofString())
                            .statusCode());
            for (String open : List.of("/", "/healthz", "/app.js")) {
                assertEquals(
                        200,
                        CLIENT.send(to(guarded, open).build(), BodyHandlers.ofString())
                                .statusCode());
            }
            assertEquals(
                    401,
                    CLIENT.send(to(guarded, "/metrics").build(), BodyHandlers.ofString())
                            .statusCode());
        }
    }

    @Test
    void limitsHold() throws Exception {
        try (Service small = Service.start("127.0.0.1", 0, limits(1000, 1, 1, null))) {
            assertEquals(413, post(small, "/v1/predict", new byte[1001]).statusCode());
            assertEquals(413, chunked(small, 5000));
            // gpt2 at a large batch, checkpointed and accumulated, takes longer than a second.
            String slow =
                    "{\"model\": \"gpt2-medium-s512.pt2\", \"options\": {\"batch\": 8, \"steps\": 4, \"accumulate\":"
                            + " 64}}";
            HttpResponse<String> late = post(
                    small,
                    "/v1/advise",
                    slow.replace("8,", "8, \"gpu\": \"a10\",").getBytes(StandardCharsets.UTF_8));
            assertEquals(408, late.statusCode(), late.body());
            List<CompletableFuture<HttpResponse<String>>> many = new ArrayList<>();
            for (int i = 1; i <= 24; i++) {
                String body = slow.replace("\"batch\": 8", "\"batch\": " + i);
                many.add(CLIENT.sendAsync(
                        to(small, "/v1/predict")
                                .POST(BodyPublishers.ofString(body))
                                .build(),
                        BodyHandlers.ofString()));
            }
            List<Integer> statuses =
                    many.stream().map(one -> one.join().statusCode()).toList();
            assertTrue(statuses.contains(429), statuses.toString());
            assertTrue(statuses.stream().allMatch(s -> s == 200 || s == 408 || s == 429), statuses.toString());
            // A client of its own: the connections of the others are being closed.
            HttpResponse<String> health =
                    HttpClient.newHttpClient().send(to(small, "/healthz").build(), BodyHandlers.ofString());
            assertEquals("ok\n", health.body());
        }
    }

    @Test
    void aConnectionOutlastsTheTimeOfARequest() throws Exception {
        try (Service small = Service.start("127.0.0.1", 0, limits(1000, 1, 1, null));
                Socket kept = new Socket("127.0.0.1", small.port())) {
            byte[] request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            kept.getOutputStream().write(request);
            String first = new String(kept.getInputStream().readNBytes(15), StandardCharsets.US_ASCII);
            assertEquals("HTTP/1.1 200 OK", first);
            Thread.sleep(2000); // the limit is one second
            kept.getOutputStream().write(request);
            kept.shutdownOutput();
            String rest = new String(kept.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(rest.contains("HTTP/1.1 200 OK"), rest);
        }
    }

    /** The status of a body that does not say how long it is. */
    private static int chunked(Service to, int bytes) throws Exception {
        HttpRequest request = to(to, "/v1/predict")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[bytes])))
                .build();
        return CLIENT.send(request, BodyHandlers.ofString()).statusCode();
    }

    @Test
    void staysOnThisMachineWithoutAToken() {
        StringWriter err = new StringWriter();
        int status = Main.run(
                new PrintWriter(new StringWriter()), new PrintWriter(err), "serve", "--host", "0.0.0.0", "--port", "0");
        assertEquals(2, status);
        assertTrue(err.toString().contains("is open to other machines; set HEADROOM_TOKEN"), err.toString());
    }
}
