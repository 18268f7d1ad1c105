package dev.headroom.app.page;

import dev.headroom.app.report.JsonOutput;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * One file of HTML with everything in it: style, scripts, Apache ECharts for the charts, and the runs as JSON. Its
 * content security policy names the scripts by their hashes and lets nothing be fetched.
 */
public final class Page {
    /** In this order: a later file uses what an earlier one defines. */
    private static final List<String> SCRIPTS = List.of(
            "format.js",
            "dom.js",
            "theme.js",
            "highest.js",
            "run.js",
            "groups.js",
            "stacks.js",
            "columns.js",
            "picture.js",
            "overview.js",
            "verdict.js",
            "marks.js",
            "timeline.js",
            "cursor.js",
            "tensors.js",
            "icicle.js",
            "segments.js",
            "layers.js",
            "ranks.js",
            "compare.js",
            "main.js");

    private Page() {}

    /**
     * Writes the page; the writer stays open.
     *
     * @param runs one or more; the first is shown first
     * @throws java.io.UncheckedIOException when it cannot be written to
     */
    public static void write(List<PageRun> runs, Writer out) {
        String library = resource("echarts.min.js");
        StringJoiner scripts = new StringJoiner("\n", "\"use strict\";\n(() => {\n", "\n})();\n");
        SCRIPTS.forEach(name -> scripts.add(resource(name)));
        String page = scripts.toString();
        Map<String, String> slots = Map.of(
                "policy",
                "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src " + hash(library) + " "
                        + hash(page),
                "style",
                resource("page.css"),
                "library",
                library,
                "data",
                data(runs),
                "script",
                page);
        Template.fill(resource("page.html"), slots, out);
    }

    private static String data(List<PageRun> runs) {
        StringWriter text = new StringWriter();
        JsonOutput.write(text, json -> PageJson.write(runs, json));
        return text.toString();
    }

    /** A source expression of a content security policy. */
    private static String hash(String script) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(sum) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static String resource(String name) {
        return Template.resource(Page.class, name);
    }
}
