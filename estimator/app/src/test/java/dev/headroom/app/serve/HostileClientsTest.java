package dev.headroom.app.serve;

import static dev.headroom.app.serve.ServiceCalls.CLIENT;
import static dev.headroom.app.serve.ServiceCalls.MODELS;
import static dev.headroom.app.serve.ServiceCalls.QUESTION;
import static dev.headroom.app.serve.ServiceCalls.error;
import static dev.headroom.app.serve.ServiceCalls.get;
import static dev.headroom.app.serve.ServiceCalls.limits;
import static dev.headroom.app.serve.ServiceCalls.post;
import static dev.headroom.app.serve.ServiceCalls.to;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients do that mean no good, or are many. */
class HostileClientsTest {
    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = ServiceCalls.started();
    }

    @AfterAll
    static void stop() throws IOException {
        service.close();
    }

    @Test
    void hostileArchivesHarmNobody() throws Exception {
        byte[] good = Files.readAllBytes(MODELS.resolve("cnn-small.pt2"));
        List<byte[]> hostile = new ArrayList<>();
        hostile.add(new byte[0]);
        hostile.add("PK\u0003\u0004 no archive at all".getBytes(StandardCharsets.ISO_8859_1));
        hostile.add(bomb());
        hostile.add(zip("model/models/model.json", "[".repeat(200_000).getBytes(StandardCharsets.UTF_8)));
        hostile.add(zip("../../escape.json", "{}".getBytes(StandardCharsets.UTF_8)));
        hostile.add("{\"model_type\": \"nothing\"}".getBytes(StandardCharsets.UTF_8));
        hostile.add("{\"a\":".repeat(100_000).getBytes(StandardCharsets.UTF_8));
        Random random = new Random(11);
        for (int i = 0; i < 30; i++) {
            byte[] broken = good.clone();
            for (int k = 0; k <= random.nextInt(40); k++) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
            }
            hostile.add(broken);
            hostile.add(Arrays.copyOf(good, random.nextInt(good.length)));
        }
        for (byte[] archive : hostile) {
            CompletableFuture<HttpResponse<String>> beside = CLIENT.sendAsync(
                    to(service, "/v1/predict")
                            .POST(BodyPublishers.ofString(QUESTION))
                            .build(),
                    BodyHandlers.ofString());
            HttpResponse<String> response = post(service, "/v1/models", archive);
            assertTrue(response.statusCode() == 200 || response.statusCode() == 400, response.body());
            if (response.statusCode() == 400) {
                assertFalse(error(response).contains("headroom-serve"), error(response));
            }
            assertEquals(200, beside.join().statusCode());
        }
        assertEquals("ok\n", get(service, "/healthz").body());
    }

    private static byte[] zip(String entry, byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry(entry));
            zip.write(content);
        }
        return bytes.toByteArray();
    }

    /** Inflates a thousandfold. */
    private static byte[] bomb() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("model/models/model.json"));
            byte[] spaces = " ".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 200; i++) {
                zip.write(spaces);
            }
        }
        return bytes.toByteArray();
    }

    /** Else a client that keeps connections sends its next request into one that is closed, and gets no answer. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
                "G\u0000T / HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n",
                "POST /v1/models HTTP/1.1\r\nHost: x\r\nContent-Length: 99000000000\r\n\r\n"
            })
    void aConnectionThatWillBeClosedIsSaidToBe(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", service.port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertTrue(answer.contains("\r\nConnection: close\r\n"), answer);
        }
    }

    @Test
    void slowClientsHoldNobodyUp() throws Exception {
        try (Service patient = Service.start("127.0.0.1", 0, limits(1 << 20, 2, 16, null))) {
            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Socket socket = new Socket("127.0.0.1", patient.port());
                OutputStream out = socket.getOutputStream();
                out.write("POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"
                        .getBytes(StandardCharsets.US_ASCII));
                out.flush();
                slow.add(socket);
            }
            assertEquals(
                    200,
                    post(patient, "/v1/predict", QUESTION.getBytes(StandardCharsets.UTF_8))
                            .statusCode());
            String answer = new String(slow.get(0).getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 408"), answer);
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void aThousandConnectionsAtOnceAreAnswered() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (Service busy = Service.start("127.0.0.1", 0, limits(1 << 20, 60, 2000, null))) {
            for (int i = 0; i < 1000; i++) {
                sockets.add(new Socket("127.0.0.1", busy.port()));
            }
            for (int i = 0; i < sockets.size(); i++) {
                String body = QUESTION.replace("8", Integer.toString(1 + i % 10));
                String request = "POST /v1/predict HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body;
                sockets.get(i).getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            }
            for (Socket socket : sockets) {
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
                socket.close();
            }
        }
    }
}
