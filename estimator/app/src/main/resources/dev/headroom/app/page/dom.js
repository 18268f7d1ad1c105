// Elements and tables. Text from the run only ever becomes text: nothing is parsed as HTML.

const $ = (id) => document.getElementById(id);

/** An element with properties and children; strings become text. */
function el(tag, props = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(props)) {
        if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
        else if (value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
}

/** How many of so many rows a screen shows at first: cards are taller than rows. */
const atFirst = (rows) => (matchMedia("screen and (max-width: 48rem)").matches ? Math.ceil(rows / 3) : rows);

/** A coloured square; its colour is a custom property or a colour. */
function swatch(colour) {
    const node = el("span", { class: "swatch", "aria-hidden": "true" });
    node.style.background = colour;
    return node;
}

/**
 * A table. Roles are spelled out because narrow screens show rows as cards.
 *
 * columns: {title, cell(row) -> string or node, number, wide, key(row) for sorting}
 * options: {caption, sort: {column, down}, onsort(column), onrow(row) -> attributes}
 */
function table(columns, rows, options = {}) {
    const sort = options.sort;
    const head = columns.map((column, i) => {
        const state = sort?.column !== i ? "none" : sort.down ? "descending" : "ascending";
        const title = options.onsort
            ? el("button", { type: "button", onclick: () => options.onsort(i) }, column.title)
            : column.title;
        const attributes = { scope: "col", role: "columnheader", class: column.number ? "n" : null };
        if (options.onsort) attributes["aria-sort"] = state;
        return el("th", attributes, title);
    });
    return el(
        "table",
        { role: "table", class: "cards" },
        options.caption ? el("caption", {}, options.caption) : null,
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...head)),
        el("tbody", { role: "rowgroup" }, ...rows.map((row) => tableRow(columns, row, options))),
    );
}

function tableRow(columns, row, options) {
    return el(
        "tr",
        { role: "row", ...options.onrow?.(row) },
        ...columns.map((column) =>
            el(
                "td",
                {
                    role: "cell",
                    class: [column.number ? "n" : "", column.wide ? "wide" : ""].join(" ").trim() || null,
                    "data-label": column.title,
                },
                column.cell(row),
            ),
        ),
    );
}

/** Gives a table's body the rows with these keys; those that it has stay, and are not laid out again. */
function keepRows(body, keys, make) {
    const wanted = new Set(keys);
    const kept = new Map();
    for (const row of [...body.rows]) {
        if (wanted.has(row.dataset.key)) kept.set(row.dataset.key, row);
        else row.remove();
    }
    keys.forEach((key, i) => {
        if (body.rows[i]?.dataset.key === key) return;
        const row = kept.get(key) ?? make(i);
        row.dataset.key = key;
        body.insertBefore(row, body.rows[i] ?? null);
    });
}

/** Rows that a reader can sort; long tables begin with a part of them. */
class SortedTable {
    constructor(place, columns, most = 40) {
        Object.assign(this, { place, columns, most, rows: [], sort: null, all: false });
    }

    show(rows) {
        this.rows = rows;
        this.draw();
    }

    draw() {
        const rows = [...this.rows];
        if (this.sort) {
            const key = this.columns[this.sort.column].key;
            const sign = this.sort.down ? -1 : 1;
            rows.sort((a, b) => sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
        }
        const shown = this.all ? rows : rows.slice(0, atFirst(this.most));
        const parts = [table(this.columns, shown, { sort: this.sort, onsort: (column) => this.sortBy(column) })];
        if (shown.length < rows.length) {
            const more = () => {
                this.all = true;
                this.draw();
            };
            parts.push(
                el("button", { type: "button", class: "more", onclick: more }, `Show all ${count(rows.length)} rows`),
            );
        }
        this.place.replaceChildren(...parts);
    }

    sortBy(column) {
        const down = this.sort?.column === column ? !this.sort.down : Boolean(this.columns[column].number);
        this.sort = { column, down };
        this.draw();
        this.place.querySelectorAll("th button")[column].focus();
    }
}

/** Calls a function at most once a frame, with the last arguments. */
function perFrame(act) {
    let waiting = null;
    return (...args) => {
        if (waiting === null) {
            requestAnimationFrame(() => {
                const last = waiting;
                waiting = null;
                act(...last);
            });
        }
        waiting = args;
    };
}

/** Radio buttons in a fieldset. */
function choices(fieldset, name, titles, chosen, onchange) {
    fieldset.querySelectorAll("label").forEach((old) => old.remove());
    titles.forEach((title, i) => {
        const input = el("input", { type: "radio", name, value: i, onchange: () => onchange(i) });
        input.checked = i === chosen;
        fieldset.append(el("label", {}, input, " ", title));
    });
    fieldset.hidden = titles.length < 2;
}
