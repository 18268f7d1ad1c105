package dev.headroom.validation.report;

import dev.headroom.app.page.Template;
import dev.headroom.validation.runs.Scores;
import dev.headroom.validation.runs.Validation;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;

/**
 * A validation as one page of HTML with everything in it; it fetches nothing. The tables need no script. The style and
 * the charting library are those of the page of a prediction.
 */
public final class HtmlReport {
    private static final String PREDICTION_PAGE = "/dev/headroom/app/page/";

    private HtmlReport() {}

    /**
     * Writes the page; the writer stays open.
     *
     * @param exceeded thresholds that were not kept, one line each
     * @throws java.io.UncheckedIOException when it cannot be written to
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
        Template.fill(resource("validation.html"), slots, out);
    }

    private static String resource(String name) {
        return Template.resource(HtmlReport.class, name);
    }
}
