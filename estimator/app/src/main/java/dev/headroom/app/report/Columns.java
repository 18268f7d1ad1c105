package dev.headroom.app.report;

/** Cuts and pads text to a column. */
public final class Columns {
    private Columns() {}

    /** Left-aligned, exactly {@code width} characters; the end goes when it is too long. */
    public static String left(String text, int width) {
        String cut = text.length() <= width
                ? text
                : text.substring(0, Math.max(0, width - 2)) + "..".substring(0, Math.min(2, width));
        return cut + " ".repeat(width - cut.length());
    }

    /**
     * Left-aligned, exactly {@code width} characters; the beginning goes when it is too long, as paths say most at the
     * end.
     */
    public static String path(String text, int width) {
        return left(text.length() <= width ? text : ".." + text.substring(text.length() - width + 2), width);
    }

    /** Right-aligned, at least {@code width} characters. */
    public static String right(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }
}
