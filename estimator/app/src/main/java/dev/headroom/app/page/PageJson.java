package dev.headroom.app.page;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.advisor.explain.Finding;
import dev.headroom.app.report.JsonReport;
import dev.headroom.app.report.ScenarioText;
import dev.headroom.app.report.VerdictText;
import dev.headroom.estimator.predict.Prediction;
import java.io.IOException;
import java.util.List;

/** What a page knows: by run, the prediction as {@code --json} prints it, its events and its segments. */
final class PageJson {
    private PageJson() {}

    static void write(List<PageRun> runs, JsonGenerator json) throws IOException {
        json.setCharacterEscapes(new InScript());
        json.writeStartObject();
        json.writeArrayFieldStart("runs");
        for (PageRun run : runs) {
            run(run, json);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void run(PageRun run, JsonGenerator json) throws IOException {
        Prediction p = run.played().prediction();
        json.writeStartObject();
        json.writeStringField("label", run.label());
        json.writeStringField("scenario", ScenarioText.words(p.run()));
        json.writeArrayFieldStart("verdict");
        for (String line : VerdictText.lines(p)) {
            json.writeString(line);
        }
        json.writeEndArray();
        findings(run.findings(), json);
        json.writeFieldName("prediction");
        JsonReport.write(p, json);
        json.writeNumberField("context", p.peak().device() - p.peak().reserved());
        EventsJson events = new EventsJson(run.played().timeline());
        events.write(json);
        SegmentsJson.write(run.played(), events, json);
        json.writeEndObject();
    }

    private static void findings(List<Finding> findings, JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("findings");
        for (Finding finding : findings) {
            json.writeStartObject();
            json.writeStringField("question", finding.question());
            json.writeArrayFieldStart("answer");
            for (String sentence : finding.answer()) {
                json.writeString(sentence);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
