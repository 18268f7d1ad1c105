package dev.headroom.validation.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a service for predictions at a steady rate, whether or not it keeps up, and tells statuses, latencies and the
 * heap's use by the second half of the time. Begin the service with {@code headroom serve --models fixtures/models};
 * arguments: its address, requests a second, seconds.
 */
public final class LoadService {
    private static final List<String> MODELS = List.of(
            "resnet18-i224.pt2",
            "resnet50-i224.pt2",
            "mobilenet_v2-i224.pt2",
            "vgg16-i224.pt2",
            "mlp-xor.pt2",
            "gpt2-s512.pt2");

    private static final List<String> CARDS = List.of("rtx-3090", "a100-40gb", "h100-80gb", "t4");

    private static final Pattern HEAP = Pattern.compile("jvm_memory_used_bytes\\{area=\"heap\"} (\\S+)");

    private final HttpClient client = HttpClient.newHttpClient();
    private final String address;
    private final Map<Integer, AtomicInteger> statuses = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();

    private LoadService(String address) {
        this.address = address;
    }

    /** Runs the load and prints what came of it. */
    public static void main(String[] args) throws Exception {
        LoadService load = new LoadService(args[0]);
        load.run(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    }

    private void run(int rate, int seconds) throws IOException, InterruptedException {
        Random random = new Random(1);
        int all = rate * seconds;
        CountDownLatch open = new CountDownLatch(all);
        List<Double> heap = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < all; i++) {
            long due = start + i * TimeUnit.SECONDS.toNanos(1) / rate;
            long wait = due - System.nanoTime();
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
            ask(question(random), open);
            if (i % (rate * 5) == 0) {
                heap.add(heap());
            }
        }
        open.await();
        heap.add(heap());
        report(seconds, heap);
    }

    private static String question(Random random) {
        return String.format(
                "{\"model\": \"%s\", \"options\": {\"batch\": %d, \"gpu\": \"%s\"}}",
                MODELS.get(random.nextInt(MODELS.size())),
                1 + random.nextInt(64),
                CARDS.get(random.nextInt(CARDS.size())));
    }

    private void ask(String body, CountDownLatch open) {
        long begun = System.nanoTime();
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/v1/predict"))
                .POST(BodyPublishers.ofString(body))
                .build();
        var unused = client.sendAsync(request, BodyHandlers.ofByteArray()).whenComplete((response, failure) -> {
            nanos.add(System.nanoTime() - begun);
            int status = response == null ? -1 : response.statusCode();
            statuses.computeIfAbsent(status, any -> new AtomicInteger()).incrementAndGet();
            open.countDown();
        });
    }

    /** MiB. */
    private double heap() throws IOException, InterruptedException {
        String text = client.send(
                        HttpRequest.newBuilder(URI.create(address + "/metrics")).build(), BodyHandlers.ofString())
                .body();
        Matcher m = HEAP.matcher(text);
        return m.find() ? Double.parseDouble(m.group(1)) / (1 << 20) : Double.NaN;
    }

    private void report(int seconds, List<Double> heap) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        System.out.printf(
                "%d requests in %d s, by status (-1: no answer): %s%n",
                sorted.length, seconds, new TreeMap<>(statuses));
        for (double q : new double[] {0.5, 0.9, 0.99, 1}) {
            long at = sorted[(int) Math.min(sorted.length - 1L, (long) (q * sorted.length))];
            System.out.printf("  %3.0f %% within %.1f ms%n", 100 * q, at / 1e6);
        }
        System.out.printf(
                "  heap, MiB, every five seconds: %s%n",
                Arrays.toString(heap.stream().mapToInt(Double::intValue).toArray()));
    }
}
