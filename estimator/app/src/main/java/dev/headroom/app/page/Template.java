package dev.headroom.app.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Resources of text with slots, written {@code {{name}}}, that pages are made of. */
public final class Template {
    private static final Pattern SLOT = Pattern.compile("\\{\\{([a-z]+)}}");

    private Template() {}

    /**
     * The text of a resource, with line feeds.
     *
     * @param name relative to the class, or absolute
     * @throws IllegalStateException when there is none
     */
    public static String resource(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " is missing: build the modules with Maven");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes a template; what stands in a slot is not looked at for slots.
     *
     * @param slots a value for every slot
     * @throws UncheckedIOException when it cannot be written to
     */
    public static void fill(String template, Map<String, String> slots, Writer out) {
        Matcher slot = SLOT.matcher(template);
        int from = 0;
        try {
            while (slot.find()) {
                out.write(template, from, slot.start() - from);
                out.write(slots.get(slot.group(1)));
                from = slot.end();
            }
            out.write(template, from, template.length() - from);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
