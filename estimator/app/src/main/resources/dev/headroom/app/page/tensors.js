// What is alive at the cursor.

const MOST_TENSORS = 25;

class MomentView {
    constructor(view) {
        this.view = view;
        const box = $("timeline-chart");
        this.tip = box.appendChild(el("div", { class: "tip beside", hidden: true, "aria-hidden": "true" }));
        box.addEventListener("pointermove", (e) => (this.tip.hidden = e.pointerType === "touch"));
        box.addEventListener("pointerleave", () => (this.tip.hidden = true));
    }

    show(run, grouping, event, held) {
        const alive = run.alive(event);
        const span = run.span(event);
        $("moment-title").textContent = `${span.title}, event ${count(event)}${held ? " (held)" : ""}`;
        const text = this.sentence(run, event, alive);
        $("moment-text").textContent = text;
        this.speak(run, event, `${span.title}, event ${count(event)}: ${text}`, alive);
        this.showTip(run, event, alive);
        $("parts").replaceChildren(this.parts(run, grouping, event));
        this.showTensors(run, alive);
    }

    /** The largest tensors beside the cursor, on the side that has room; the whole list stands below the chart. */
    showTip(run, event, alive) {
        const largest = alive.slice(0, 4).map(({ tensor: t, category }) => {
            const name = [run.title(t), run.owner(t), run.shape(t)].filter(Boolean).join(", ");
            return el("li", {}, swatch(`var(--c-${category})`), `${size(run.block[t])} ${name}`);
        });
        const more = alive.length - largest.length;
        if (more > 0) largest.push(el("li", {}, `and ${count(more)} more`));
        this.tip.replaceChildren(el("strong", {}, `${size(run.allocated[event])} allocated`), el("ul", {}, ...largest));
        const x = this.view.xOf(event + 0.5);
        const right = x > EDGE.left + this.view.width / 2;
        this.tip.style.left = right ? "auto" : `${x + 12}px`;
        this.tip.style.right = right ? `${this.view.chart.getWidth() - x + 12}px` : "auto";
    }

    sentence(run, event, alive) {
        const { module, operator, node } = run.actor(run.running[event]);
        const who = [module, operator, node && node !== operator ? `(${node})` : ""].filter(Boolean).join(" ");
        const t = run.tensorOf[event];
        const what = t < 0 ? "" : this.change(run, event, t);
        return (
            `${size(run.allocated[event])} allocated in ${counted(alive.length, "tensor")}, ` +
            `${size(run.reserved[event])} reserved. ${who ? `Running: ${who}. ` : ""}${what}`
        );
    }

    change(run, event, t) {
        const shape = `${size(run.block[t])}, ${run.shape(t)}`;
        if (run.counts[event] < 0) return `Frees ${run.title(t)} (${shape}).`;
        if (run.born[t] === event) return `Allocates ${run.title(t)} (${shape}).`;
        return `${run.title(t)} (${shape}) counts as ${words(run.categories[run.counts[event]])} from here on.`;
    }

    /** Readers hear the moment and its largest tensors once the cursor rests. */
    speak(run, event, text, alive) {
        const box = $("timeline-chart");
        box.setAttribute("aria-valuemin", 0);
        box.setAttribute("aria-valuemax", Math.max(0, run.size - 1));
        box.setAttribute("aria-valuenow", event);
        box.setAttribute("aria-valuetext", text);
        clearTimeout(this.resting);
        this.resting = setTimeout(() => {
            const largest = alive
                .slice(0, 3)
                .map(({ tensor }) => `${run.title(tensor)} ${run.owner(tensor)} ${size(run.block[tensor])}`);
            $("moment-live").textContent = `Largest: ${largest.join("; ")}`;
        }, 500);
    }

    parts(run, grouping, event) {
        const totals = this.view.stacks.after(event);
        const whole = run.allocated[event];
        const rows = grouping.titles.map((title, g) => ({ title, bytes: totals[g], colour: grouping.colours[g] }));
        const shade = (row) => (row.colour.startsWith("c-") ? `var(--${row.colour})` : row.colour);
        const meter = (row) => {
            const node = el("span", { class: "meter" });
            node.style.width = `${whole > 0 ? (100 * row.bytes) / whole : 0}%`;
            node.style.background = shade(row);
            return node;
        };
        const columns = [
            { title: "Part", cell: (row) => el("span", {}, swatch(shade(row)), row.title, meter(row)) },
            { title: "MiB", number: true, cell: (row) => mib(row.bytes) },
            { title: "Share", number: true, cell: (row) => percent(row.bytes, whole) },
        ];
        const plain = table(columns, rows.filter((row) => row.bytes > 0).reverse());
        plain.classList.remove("cards");
        return plain;
    }

    showTensors(run, alive) {
        if (this.run !== run) this.begin(run);
        const shown = alive.slice(0, atFirst(MOST_TENSORS));
        const keys = shown.map(({ tensor, category }) => `${tensor} ${category}`);
        keepRows(this.rows.tBodies[0], keys, (i) => this.tensorRow(shown[i]));
        const rest = alive.slice(shown.length).reduce((sum, { tensor }) => sum + run.block[tensor], 0);
        const more = alive.length - shown.length;
        this.rest.textContent = more > 0 ? `and ${count(more)} smaller, ${size(rest)} together` : "";
        this.rest.hidden = more === 0;
    }

    /** An empty table for the tensors of a run. */
    begin(run) {
        this.run = run;
        const columns = [
            {
                title: "Tensor",
                wide: true,
                cell: ({ tensor: t }) => el("span", {}, run.title(t), el("span", { class: "under" }, run.owner(t))),
            },
            { title: "MiB", number: true, cell: ({ tensor: t }) => mib(run.block[t]) },
            { title: "Type and shape", cell: ({ tensor: t }) => run.shape(t) },
            {
                title: "Counts as",
                cell: ({ category }) => el("span", {}, swatch(`var(--c-${category})`), words(category)),
            },
            { title: "Born", cell: ({ tensor: t }) => run.when(run.born[t]) },
            { title: "Dies", cell: ({ tensor: t }) => run.when(run.died[t]) },
        ];
        const life = (t) => () => this.view.showLife(t);
        const onrow = ({ tensor }) => ({ onmouseenter: life(tensor), onmouseleave: life(null) });
        this.tensorRow = (row) => tableRow(columns, row, { onrow });
        this.rows = table(columns, []);
        this.rest = el("p", { class: "quiet" });
        $("tensors").replaceChildren(this.rows, this.rest);
    }
}
