package dev.headroom.app.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.timeline.PlayedRun;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What stands on the page adds up to what the prediction says. */
class PageTest {
    private static final PlayedRun FITS = Pages.played("cnn-small.pt2", 16, 3, null);
    private static final PlayedRun FAILS = Pages.played("resnet18-i224.pt2", 64, 2, 512L << 20);

    /** A run of the page, played event by event from its columns alone. */
    private static final class Replay {
        private final JsonNode run;
        private final Map<Integer, Integer> alive = new HashMap<>();
        private int at;

        Replay(JsonNode run) {
            this.run = run;
        }

        void to(int events) {
            for (; at < events; at++) {
                int tensor = run.at("/events/tensor").get(at).asInt();
                int counts = run.at("/events/counts").get(at).asInt();
                if (counts < 0) {
                    alive.remove(tensor);
                } else if (tensor >= 0) {
                    alive.put(tensor, counts);
                }
            }
        }

        long sum(String column) {
            return alive.keySet().stream()
                    .mapToLong(t -> run.get("tensors").get(column).get(t).asLong())
                    .sum();
        }

        long requested(int category) {
            return alive.entrySet().stream()
                    .filter(e -> e.getValue() == category)
                    .mapToLong(e -> run.at("/tensors/requested").get(e.getKey()).asLong())
                    .sum();
        }

        long reserved() {
            long value = 0;
            for (int i = 0;
                    i < run.get("reserved").size() && run.get("reserved").get(i).asInt() < at;
                    i += 2) {
                value = run.get("reserved").get(i + 1).asLong();
            }
            return value;
        }
    }

    private static JsonNode run(PlayedRun played) throws Exception {
        return Pages.data(Pages.html(Pages.unexplained("x", played))).at("/runs/0");
    }

    @Test
    void phasesEndWithTheBytesOfThePrediction() throws Exception {
        for (PlayedRun played : new PlayedRun[] {FITS, FAILS}) {
            JsonNode run = run(played);
            Replay replay = new Replay(run);
            JsonNode phases = run.at("/prediction/phases");
            assertTrue(phases.size() > 1);
            for (int i = 0; i < phases.size(); i++) {
                JsonNode span = run.get("spans").get(i);
                assertEquals(phases.get(i).get("phase"), span.get("phase"));
                assertEquals(phases.get(i).get("step"), span.get("step"));
                replay.to(span.get("to").asInt());
                assertEquals(phases.get(i).get("allocated").asLong(), replay.sum("block"));
                assertEquals(phases.get(i).get("reserved").asLong(), replay.reserved());
            }
        }
    }

    @Test
    void thePeakIsMadeOfTheCategoriesOfThePrediction() throws Exception {
        JsonNode run = run(FITS);
        JsonNode atPeak = run.at("/prediction/at_peak");
        Replay replay = new Replay(run);
        replay.to(run.get("peak_event").asInt() + 1);
        assertEquals(run.at("/prediction/peak/allocated").asLong(), replay.sum("block"));
        for (int c = 0; c < run.get("categories").size(); c++) {
            String category = run.get("categories").get(c).asText();
            assertEquals(atPeak.get(category).asLong(), replay.requested(c), category);
        }
        assertEquals(atPeak.get("rounding").asLong(), replay.sum("block") - replay.sum("requested"));
        assertEquals(atPeak.get("cached_free").asLong(), replay.reserved() - replay.sum("block"));
    }

    @Test
    void everythingAliveLiesInTheSegments() throws Exception {
        assertEquals(1, run(FITS).get("maps").size());
        JsonNode run = run(FAILS);
        assertEquals(2, run.get("maps").size(), "at the peak, and when memory ran out");
        Replay replay = new Replay(run);
        for (JsonNode map : run.get("maps")) {
            replay.to(map.get("event").asInt() + 1);
            Set<Integer> found = new HashSet<>();
            long reserved = 0;
            for (JsonNode segment : map.get("segments")) {
                long size = 0;
                for (int i = 0; i < segment.get("blocks").size(); i += 2) {
                    long bytes = segment.get("blocks").get(i).asLong();
                    int tensor = segment.get("blocks").get(i + 1).asInt();
                    size += bytes;
                    if (tensor >= 0) {
                        found.add(tensor);
                        assertEquals(run.at("/tensors/block").get(tensor).asLong(), bytes);
                    }
                }
                assertEquals(segment.get("size").asLong(), size);
                reserved += size;
            }
            assertEquals(replay.reserved(), reserved);
            assertEquals(replay.alive.keySet(), found);
        }
    }

    @Test
    void onlyItsOwnScriptsMayRun() throws Exception {
        String html = Pages.html(Pages.unexplained("x", FITS));
        Matcher script =
                Pattern.compile("<script>(.*?)</script>", Pattern.DOTALL).matcher(html);
        int scripts = 0;
        while (script.find()) {
            byte[] sum =
                    MessageDigest.getInstance("SHA-256").digest(script.group(1).getBytes(StandardCharsets.UTF_8));
            assertTrue(html.contains("'sha256-" + Base64.getEncoder().encodeToString(sum) + "'"));
            scripts++;
        }
        assertEquals(2, scripts);
        assertTrue(html.contains("default-src 'none'"));
        assertFalse(
                Pattern.compile("<[^>]*(src|href)=\"(https?:)?//").matcher(html).find());
    }

    @Test
    void namesStayNames() throws Exception {
        String html = Pages.html(Pages.unexplained(Pages.HOSTILE, Pages.hostile()));
        assertEquals(3, html.split("</script>", -1).length - 1);
        assertFalse(html.contains("<b>bold"));
        JsonNode run = Pages.data(html).at("/runs/0");
        assertEquals(Pages.HOSTILE, run.get("label").asText());
        assertEquals(Pages.HOSTILE, run.at("/prediction/model").asText());
    }

    @Test
    void runsStandInTheOrderGiven() throws Exception {
        JsonNode runs = Pages.data(Pages.html(Pages.unexplained("first", FITS), Pages.unexplained("second", FAILS)))
                .get("runs");
        assertEquals(2, runs.size());
        assertEquals("second", runs.get(1).get("label").asText());
        assertFalse(runs.get(1).at("/prediction/verdict/fits").asBoolean());
    }
}
