package dev.headroom.app.serve;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** What Prometheus asks of the service. */
final class Metrics {
    /** What {@code /metrics} is written in. */
    static final String TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Counter requests = Counter.builder()
            .name("headroom_requests_total")
            .help("Requests by endpoint and status.")
            .labelNames("endpoint", "status")
            .register(registry);
    private final Histogram seconds = Histogram.builder()
            .name("headroom_request_seconds")
            .help("From the first byte of a request to its answer.")
            .labelNames("endpoint")
            .classicOnly()
            .register(registry);
    private final Counter cached = Counter.builder()
            .name("headroom_cached_answers_total")
            .help("Answers that were given before.")
            .register(registry);

    Metrics(Workers workers) {
        GaugeWithCallback.builder()
                .name("headroom_workers_running")
                .help("Answers that are computed now.")
                .callback(gauge -> gauge.call(workers.running()))
                .register(registry);
        GaugeWithCallback.builder()
                .name("headroom_workers_waiting")
                .help("Requests that wait for a worker.")
                .callback(gauge -> gauge.call(workers.waiting()))
                .register(registry);
        JvmMemoryMetrics.builder().register(registry);
        JvmGarbageCollectorMetrics.builder().register(registry);
        JvmThreadsMetrics.builder().register(registry);
    }

    void answered(String endpoint, int status, long nanos) {
        requests.labelValues(endpoint, Integer.toString(status)).inc();
        seconds.labelValues(endpoint).observe(nanos / 1e9);
    }

    void fromCache() {
        cached.inc();
    }

    byte[] text() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(out, registry.scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
