package dev.headroom.app.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.model.units.Mib;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** The stack of a hundred thousand events as it is painted, pixel by pixel, beside the events themselves. */
class TimelinePictureTest {
    private static final String CHART = "echarts.getInstanceByDom(document.getElementById('timeline-chart'))";

    /**
     * What is seen: the window, the highest byte of the axis, and by column of pixels how many are filled from below. Edges
     * are half transparent, so that these are no whole numbers.
     */
    private static final String SEEN = """
            const chart = %s;
            const [from, to] = chart.getModel().getComponent("xAxis").axis.scale.getExtent();
            const bytes = chart.getModel().getComponent("yAxis").axis.scale.getExtent()[1];
            const { image } = chart.getZr().storage.getDisplayList().find((e) => e.type === "image").style;
            const { width, height } = image;
            const { data } = image.getContext("2d").getImageData(0, 0, width, height);
            const at = (x, y) => 4 * (y * width + x);
            // High above the stack, and below the edge of the band that it lies on, if it does.
            const ground = 4;
            const same = (a, b) => [0, 1, 2, 3].every((i) => data[a + i] === data[b + i]);
            const filled = Array.from({ length: width }, (_, x) => {
                let sum = 0;
                for (let y = height - 1; y >= 0 && !same(at(x, y), at(x, ground)); y--) {
                    sum += data[at(x, y) + 3] / 255;
                }
                return sum;
            });
            return { from, to, bytes, height, filled };
            """.formatted(CHART);

    @TempDir
    private static Path folder;

    private static Browser browser;
    private static JsonNode run;
    private static long[] allocated;
    private static long[] reserved;

    @BeforeAll
    static void start() throws Exception {
        browser = Browser.start().orElse(null);
        assumeTrue(browser != null, Browser.MISSING);
        String html = Pages.html(Pages.unexplained("x", Pages.played("resnet50-i224.pt2", 8, 48, null)));
        Files.writeString(folder.resolve("large.html"), html);
        run = Pages.data(html).at("/runs/0");
        allocated = new long[run.at("/events/tensor").size()];
        reserved = new long[allocated.length];
        play();
    }

    /** Every event from the page's columns. */
    private static void play() {
        JsonNode changes = run.get("reserved");
        boolean[] alive = new boolean[run.at("/tensors/block").size()];
        long now = 0;
        for (int e = 0, change = 0; e < allocated.length; e++) {
            int tensor = run.at("/events/tensor").get(e).asInt();
            boolean lives = run.at("/events/counts").get(e).asInt() >= 0;
            if (tensor >= 0 && alive[tensor] != lives) {
                now += (lives ? 1 : -1) * run.at("/tensors/block").get(tensor).asLong();
                alive[tensor] = lives;
            }
            allocated[e] = now;
            while (change + 2 < changes.size() && changes.get(change + 2).asInt() <= e) {
                change += 2;
            }
            reserved[e] = changes.get(change + 1).asLong();
        }
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        browser.screen(1280, 900);
        browser.media("screen", "light");
        browser.open(folder.resolve("large.html"));
        assertTrue(allocated.length > 100_000);
    }

    private static WebElement find(String css) {
        return browser.driver.findElement(By.cssSelector(css));
    }

    private static void press(String... keys) {
        find("#timeline-chart").sendKeys(keys);
        browser.script("return new Promise(requestAnimationFrame)");
    }

    private static LongStream between(long[] values, int from, int to) {
        return Arrays.stream(values, Math.max(0, from), to);
    }

    /** Holds the most that was allocated in each column against what is painted there. */
    private static void assertPainted(int fewest) {
        Map<?, ?> seen = (Map<?, ?>) browser.script(SEEN);
        double from = number(seen.get("from"));
        List<?> filled = (List<?>) seen.get("filled");
        double scale = (number(seen.get("to")) - from) / filled.size();
        double pixel = number(seen.get("bytes")) / number(seen.get("height"));
        int compared = 0;
        for (int x = 0; x < filled.size(); x++) {
            int first = (int) (from + x * scale);
            int end = Math.max(first + 1, (int) (from + (x + 1) * scale));
            long most = between(allocated, first, end).max().orElseThrow();
            // The line of reserved memory, or the edge of an event, may lie in the same pixel.
            long line = between(reserved, first - (int) scale - 1, end).min().orElseThrow();
            boolean edge = scale < 1 && first != (int) (from + (x + 1) * scale);
            if (edge || line - most < 4 * pixel) {
                continue;
            }
            assertEquals(most / pixel, number(filled.get(x)), 1, "events from " + first);
            compared++;
        }
        assertTrue(compared >= fewest, compared + " columns");
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    @Test
    void everyPixelShowsTheMostThatWasAllocatedInIt() {
        assertPainted(900);
        press("p", "+", "+", "+", "+");
        assertPainted(900);
        press("+", "+", "+", "+", "+", "+");
        assertPainted(900);
        press("0");
        find("input[name=stack][value=module]").click();
        assertPainted(900);
    }

    @Test
    void theLibrarysOwnZoomPaintsItsWindow() {
        browser.script(CHART + ".dispatchAction({ type: 'dataZoom', start: 12.34, end: 23.45 }, { flush: true })");
        assertPainted(900);
        browser.script(CHART + ".dispatchAction({ type: 'dataZoom', start: 50, end: 50.1234 }, { flush: true })");
        assertPainted(900);
        assertEquals("part", browser.text("document.getElementById('phase').value"));
    }

    @Test
    void zoomingKeepsThePeak() {
        double height = number(browser.script("return Math.max(...(() => {" + SEEN + "})().filled)"));
        press("p", "+", "+", "+");
        browser.until("document.getElementById('phase').value === 'part'");
        assertEquals(height, number(browser.script("return Math.max(...(() => {" + SEEN + "})().filled)")), 0.5);
        press("0");
        browser.until("document.getElementById('phase').value === ''");
    }

    @Test
    void thePeakHasThePartsOfThePrediction() {
        press("p");
        browser.until("document.getElementById('moment-title').textContent.endsWith('(held)')");
        Map<String, String> expected = new TreeMap<>();
        for (Map.Entry<String, JsonNode> part : run.at("/prediction/at_peak").properties()) {
            if (part.getValue().asLong() > 0 && !part.getKey().equals("cached_free")) {
                expected.put(
                        part.getKey().replace('_', ' '),
                        Mib.number(part.getValue().asLong()));
            }
        }
        Map<String, String> shown = new TreeMap<>();
        for (WebElement row : browser.driver.findElements(By.cssSelector("#parts tbody tr"))) {
            List<WebElement> cells = row.findElements(By.tagName("td"));
            shown.put(cells.get(0).getText(), cells.get(1).getText());
        }
        assertEquals(expected, shown);
    }
}
