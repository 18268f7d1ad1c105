package dev.headroom.app.serve;

import dev.headroom.app.report.JsonOutput;

/**
 * An answer of HTTP.
 *
 * @param type of the body
 */
record Reply(int status, String type, byte[] body) {
    static final String JSON = "application/json";

    static Reply json(byte[] body) {
        return new Reply(200, JSON, body);
    }

    /** {@code {"error": LINE}}. */
    static Reply refused(Refused why) {
        byte[] body = Answers.bytes(out -> JsonOutput.write(out, json -> {
            json.writeStartObject();
            json.writeStringField("error", why.getMessage());
            json.writeEndObject();
        }));
        return new Reply(why.status(), JSON, body);
    }
}
