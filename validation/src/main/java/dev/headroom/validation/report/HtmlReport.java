package dev.headroom.validation.report;

import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Validation;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A validation as one page of HTML with everything in it; it fetches nothing. The tables need no script. The style and the
 * charting library are those of the page of a prediction.
 */
public final class HtmlReport {
    private static final String PREDICTION_PAGE = "/dev/headroom/report/page/";
    private static final Pattern SLOT = Pattern.compile("\\{\\{([a-z]+)}}");

    private HtmlReport() {}

    /**
     * Writes the page; the writer stays open.
     *
     * @param exceeded thresholds that were not kept, one line each
     * @throws UncheckedIOException when it cannot be written to
     */
    public static void write(Validation validation, Scores scores, List<String> exceeded, Writer out) {
        StringWriter data = new StringWriter();
        ValidationJson.write(validation, scores, exceeded, data);
        Map<String, String> slots = Map.of(
                "style", resource(PREDICTION_PAGE + "page.css") + resource("validation.css"),
                "main", new HtmlSummary(validation, scores, exceeded).text(),
                "runs", HtmlRuns.of(validation.outcomes()),
                "library", resource(PREDICTION_PAGE + "echarts.min.js"),
                // Only strings hold this character; so escaped, no name can end the script.
                "data", data.toString().replace("<", "\\u003c"),
                "script", resource("validation.js"));
        try {
            fill(resource("validation.html"), slots, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void fill(String template, Map<String, String> slots, Writer out) throws IOException {
        Matcher slot = SLOT.matcher(template);
        int from = 0;
        while (slot.find()) {
            out.write(template, from, slot.start() - from);
            out.write(slots.get(slot.group(1)));
            from = slot.end();
        }
        out.write(template, from, template.length() - from);
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " is missing: build the modules with Maven");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
