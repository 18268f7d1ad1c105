package dev.headroom.app.serve;

import dev.headroom.app.page.Page;
import dev.headroom.app.page.Template;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of the page, which need nothing from elsewhere. */
final class Assets {
    private static final Map<String, String> TYPES = Map.of(
            "/", "text/html; charset=utf-8",
            "/page.css", "text/css; charset=utf-8",
            "/app.css", "text/css; charset=utf-8",
            "/app.js", "text/javascript; charset=utf-8",
            "/controls.js", "text/javascript; charset=utf-8",
            "/result.js", "text/javascript; charset=utf-8",
            "/chart.js", "text/javascript; charset=utf-8",
            "/elements.js", "text/javascript; charset=utf-8",
            "/words.js", "text/javascript; charset=utf-8",
            "/openapi.json", Reply.JSON);

    private Assets() {}

    /** The file at a path; {@code null} where there is none. */
    static @Nullable Reply at(String path) {
        String type = TYPES.get(path);
        if (type == null) {
            return null;
        }
        Class<?> owner = path.equals("/page.css") ? Page.class : Assets.class; // colours are told once
        String name = path.equals("/") ? "app.html" : path.substring(1);
        return new Reply(200, type, Template.resource(owner, name).getBytes(StandardCharsets.UTF_8));
    }
}
