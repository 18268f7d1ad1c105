package dev.headroom.app.page;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.app.report.JsonOutput;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.timeline.LiveTensor;
import dev.headroom.estimator.timeline.PhaseSpan;
import dev.headroom.estimator.timeline.Timeline;
import it.unimi.dsi.fastutil.objects.Object2IntLinkedOpenHashMap;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A timeline as columns of numbers. Tensors are numbered in order of birth; strings stand in one list, {@code words}.
 *
 * <ul>
 *   <li>{@code tensors}: by tensor, {@code name}, {@code owner}, {@code dtype}, {@code shape} (words), {@code by}
 *   (number in
 *       {@code actors}), {@code requested} and {@code block} bytes
 *   <li>{@code events}: by event, {@code tensor} (-1 for one without memory) and {@code counts}, the number of the
 *   category
 *       that it counts as from then on, or -1 when it is freed
 *   <li>{@code running}, {@code reserved}: pairs of an event and a value that holds from there on
 *   <li>{@code actors}: module, operator and autograd node (words) of what ran
 * </ul>
 */
final class EventsJson {
    private final Timeline timeline;
    private final Words words = new Words();
    private final Object2IntLinkedOpenHashMap<Attribution> actors = new Object2IntLinkedOpenHashMap<>();
    private final int[] numbers;

    EventsJson(Timeline timeline) {
        this.timeline = timeline;
        List<LiveTensor> tensors = timeline.tensors();
        this.numbers = new int[timeline.storages()];
        for (int i = 0; i < tensors.size(); i++) {
            numbers[tensors.get(i).number()] = i;
        }
    }

    /** The number of a tensor on the page; -1 of none. */
    int number(LiveTensor tensor) {
        return tensor == null ? -1 : numbers[tensor.number()];
    }

    /** Fields of the open object. */
    void write(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("categories");
        for (Category c : Category.values()) {
            json.writeString(c.key());
        }
        json.writeEndArray();
        tensors(json);
        json.writeObjectFieldStart("events");
        column(json, "tensor", e -> number(timeline.tensor(e)));
        column(
                json,
                "counts",
                e -> timeline.isFree(e)
                        ? -1
                        : Objects.requireNonNull(timeline.category(e)).ordinal());
        json.writeEndObject();
        changes(json, "running", e -> actor(timeline.running(e)));
        changes(json, "reserved", timeline::reserved);
        actors(json);
        phases(json);
        json.writeNumberField("peak_event", timeline.peak());
        json.writeFieldName("words");
        words.write(json);
    }

    private interface Of {
        long event(int number);
    }

    private void column(JsonGenerator json, String name, Of value) throws IOException {
        json.writeArrayFieldStart(name);
        for (int e = 0; e < timeline.size(); e++) {
            json.writeNumber(value.event(e));
        }
        json.writeEndArray();
    }

    private void changes(JsonGenerator json, String name, Of value) throws IOException {
        json.writeArrayFieldStart(name);
        long before = -1;
        for (int e = 0; e < timeline.size(); e++) {
            long now = value.event(e);
            if (now != before) {
                json.writeNumber(e);
                json.writeNumber(now);
                before = now;
            }
        }
        json.writeEndArray();
    }

    private interface OfTensor {
        long value(LiveTensor tensor);
    }

    private void tensors(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("tensors");
        tensors(json, "name", t -> words.number(t.name()));
        tensors(json, "owner", t -> words.number(t.owner()));
        tensors(json, "dtype", t -> words.number(t.dtype().torchName()));
        tensors(json, "shape", t -> words.number(Arrays.toString(t.sizes())));
        tensors(json, "by", t -> actor(t.madeBy()));
        tensors(json, "requested", LiveTensor::requested);
        tensors(json, "block", LiveTensor::rounded);
        json.writeEndObject();
    }

    private void tensors(JsonGenerator json, String name, OfTensor value) throws IOException {
        json.writeArrayFieldStart(name);
        for (LiveTensor t : timeline.tensors()) {
            json.writeNumber(value.value(t));
        }
        json.writeEndArray();
    }

    private int actor(Attribution attribution) {
        int next = actors.size();
        int known = actors.putIfAbsent(attribution, next);
        return actors.size() > next ? next : known;
    }

    private void actors(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("actors");
        for (Attribution a : actors.keySet()) {
            json.writeNumber(words.number(a.module()));
            json.writeNumber(words.number(a.operator()));
            json.writeNumber(words.number(a.node()));
        }
        json.writeEndArray();
    }

    private void phases(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("spans");
        for (PhaseSpan span : timeline.phases()) {
            json.writeStartObject();
            json.writeStringField("phase", span.phase().label());
            json.writeStringField("title", span.title());
            JsonOutput.number(json, "step", span.step());
            json.writeNumberField("from", span.from());
            json.writeNumberField("to", span.to());
            json.writeNumberField("peak", timeline.peak(span));
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
