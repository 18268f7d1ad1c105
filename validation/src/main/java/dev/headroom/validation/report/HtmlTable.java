package dev.headroom.validation.report;

/** A table of the page; the first column names the rows. */
final class HtmlTable {
    private HtmlTable() {}

    /**
     * Writes one.
     *
     * @param caption "" for none
     * @param heads of the columns after the first
     * @param attributes of the table, names and values in turn
     */
    static void write(Markup m, String caption, String[] heads, Markup.Content body, String... attributes) {
        m.element(
                "div",
                d -> d.element(
                        "table",
                        t -> {
                            if (!caption.isEmpty()) {
                                t.element("caption", caption);
                            }
                            t.element(
                                    "thead",
                                    h -> h.element("tr", r -> {
                                        r.element("th", "", "scope", "col");
                                        for (String head : heads) {
                                            r.element("th", head, "scope", "col");
                                        }
                                    }));
                            t.element("tbody", body);
                        },
                        attributes),
                "class",
                "wide",
                "tabindex",
                "0"); // wide tables scroll, by keyboard too
    }

    static void row(Markup body, String name, String... cells) {
        body.element("tr", r -> {
            r.element("td", name);
            for (String cell : cells) {
                r.element("td", cell);
            }
        });
    }
}
