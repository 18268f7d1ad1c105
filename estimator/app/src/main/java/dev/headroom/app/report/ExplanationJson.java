package dev.headroom.app.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headroom.advisor.explain.Account;
import dev.headroom.advisor.explain.Explanation;
import dev.headroom.advisor.explain.Finding;
import java.io.IOException;
import java.io.Writer;
import java.util.List;

/**
 * An explanation as one JSON object: {@code model}, {@code scenario}, {@code findings} and
 * {@code warnings}; bytes throughout.
 */
public final class ExplanationJson {
    private ExplanationJson() {}

    /** Writes the object and a line feed; the writer stays open. */
    public static void write(Explanation explanation, Writer out) {
        JsonOutput.write(out, json -> {
            json.writeStartObject();
            json.writeStringField("model", explanation.run().prediction().model());
            ScenarioJson.write(json, explanation.run().request().scenario());
            json.writeFieldName("findings");
            write(explanation.findings(), json);
            JsonOutput.strings(json, "warnings", explanation.remarks());
            json.writeEndObject();
        });
    }

    /** Writes the array of findings as a part of a larger object. */
    public static void write(List<Finding> findings, JsonGenerator json) throws IOException {
        json.writeStartArray();
        for (Finding finding : findings) {
            json.writeStartObject();
            json.writeStringField("key", finding.key());
            json.writeStringField("question", finding.question());
            JsonOutput.strings(json, "answer", finding.answer());
            json.writeArrayFieldStart("accounts");
            for (Account account : finding.accounts()) {
                write(account, json);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(Account account, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("of", account.of());
        json.writeNumberField("bytes", account.bytes());
        json.writeArrayFieldStart("parts");
        for (Account.Part part : account.parts()) {
            json.writeStartObject();
            json.writeStringField("name", part.name());
            json.writeNumberField("bytes", part.bytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
