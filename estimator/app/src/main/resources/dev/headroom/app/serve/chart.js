// Memory over the run: stacked areas in SVG, with a cursor that the pointer and the arrow keys move.

import { html } from "./elements.js";
import { ORDER, bytes, words } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 62;
const BOTTOM = 26;

function shape(name, attributes, parent, text) {
    const made = parent.appendChild(document.createElementNS(SVG, name));
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
}

/** Round values for an axis. */
function ticks(most) {
    const step = 2 ** Math.floor(Math.log2(most / 4));
    return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

export class Chart {
    constructor(element, readout, legend) {
        this.element = element;
        this.readout = readout;
        this.legend = legend;
        this.at = -1;
        element.addEventListener("pointermove", (e) => this.point(e.offsetX));
        element.addEventListener("pointerdown", (e) => this.point(e.offsetX));
        element.addEventListener("keydown", (e) => this.key(e));
        new ResizeObserver(() => this.draw()).observe(element);
    }

    /** @param limit bytes of the device that the allocator can have, or null */
    show(timeline, limit) {
        this.run = timeline;
        this.limit = limit;
        const last = timeline.events.length - 1;
        const total = (i) => ORDER.reduce((sum, key) => sum + timeline.categories[key][i], 0);
        this.peak = 0;
        for (let i = 0; i <= last; i++) if (total(i) > total(this.peak)) this.peak = i;
        this.at = this.peak;
        this.shown = ORDER.filter((key) => timeline.categories[key].some((b) => b > 0));
        this.legend.replaceChildren(
            ...this.shown.map((key) => html("li", {}, html("span", { class: "swatch", style: `background: var(--c-${key})` }), words(key))),
        );
        this.draw();
    }

    draw() {
        if (!this.run || !this.element.clientWidth) return;
        const { events, reserved, categories, phases, length } = this.run;
        const width = this.element.clientWidth;
        const height = this.element.clientHeight;
        const highest = Math.max(...reserved, 1);
        const near = this.limit && highest > this.limit * 0.4;
        const top = Math.max(highest, near ? this.limit : 0) * 1.06;
        const x = (event) => LEFT + (event / Math.max(length, 1)) * (width - LEFT);
        const y = (b) => (1 - b / top) * (height - BOTTOM) + 2;
        const svg = document.createElementNS(SVG, "svg");
        svg.setAttribute("aria-hidden", "true");
        for (const b of ticks(top)) {
            shape("line", { class: "grid", x1: LEFT, x2: width, y1: y(b), y2: y(b) }, svg);
            shape("text", { x: LEFT - 8, y: y(b) + 4, "text-anchor": "end" }, svg, b === 0 ? "0" : bytes(b, 3));
        }
        const ends = events.map((e, i) => x(events[i + 1] ?? length));
        let below = events.map(() => 0);
        for (const key of this.shown) {
            const above = below.map((b, i) => b + categories[key][i]);
            const forth = above.map((b, i) => `${x(events[i]).toFixed(1)} ${y(b).toFixed(1)} ${ends[i].toFixed(1)} ${y(b).toFixed(1)}`);
            const back = below.map((b, i) => `${ends[i].toFixed(1)} ${y(b).toFixed(1)} ${x(events[i]).toFixed(1)} ${y(b).toFixed(1)}`);
            shape("polygon", { points: `${forth.join(" ")} ${back.reverse().join(" ")}`, style: `fill: var(--c-${key})` }, svg);
            below = above;
        }
        const line = reserved.map((b, i) => `${x(events[i]).toFixed(1)},${y(b).toFixed(1)} ${ends[i].toFixed(1)},${y(b).toFixed(1)}`);
        shape("polyline", { class: "reserved", points: line.join(" ") }, svg);
        let free = LEFT;
        for (const phase of phases) {
            const middle = (x(phase.from) + x(phase.to)) / 2;
            const wide = phase.title.length * 6.4;
            if (middle - wide / 2 >= free && middle + wide / 2 <= width) {
                shape("text", { x: middle, y: height - 6, "text-anchor": "middle" }, svg, phase.title);
                free = middle + wide / 2 + 8;
            }
        }
        if (near) {
            shape("line", { class: "limit", x1: LEFT, x2: width, y1: y(this.limit), y2: y(this.limit) }, svg);
            shape("text", { class: "limit-name", x: width - 4, y: y(this.limit) + 15, "text-anchor": "end" }, svg, `all there is: ${bytes(this.limit)}`);
        }
        this.cursor = shape("line", { class: "at", y1: 0, y2: height - BOTTOM }, svg);
        this.element.replaceChildren(svg);
        this.x = x;
        this.move(this.at);
    }

    point(offset) {
        if (!this.run) return;
        const event = ((offset - LEFT) / (this.element.clientWidth - LEFT)) * this.run.length;
        let i = this.run.events.findIndex((e) => e > event) - 1;
        if (i < -1) i = this.run.events.length - 1;
        this.move(Math.max(0, i));
    }

    key(e) {
        if (!this.run) return;
        const last = this.run.events.length - 1;
        const step = e.shiftKey ? 1 : Math.max(1, Math.round(last / 60));
        const to = { ArrowRight: this.at + step, ArrowUp: this.at + step, ArrowLeft: this.at - step, ArrowDown: this.at - step, Home: 0, End: last, p: this.peak }[e.key];
        if (to === undefined) return;
        e.preventDefault();
        this.move(Math.min(last, Math.max(0, to)));
    }

    move(i) {
        const { events, reserved, categories, phases } = this.run;
        if (!events.length) return;
        this.at = i;
        const at = this.x(events[i]);
        this.cursor.setAttribute("x1", at);
        this.cursor.setAttribute("x2", at);
        const phase = phases.find((p) => events[i] >= p.from && events[i] < p.to);
        const parts = this.shown.filter((key) => categories[key][i] > 0).sort((a, b) => categories[b][i] - categories[a][i]);
        const sum = this.shown.reduce((all, key) => all + categories[key][i], 0);
        const text = `${i === this.peak ? "At the peak" : "Here"}${phase ? `, ${phase.title}` : ""}: ${bytes(sum)} allocated, ${bytes(reserved[i])} reserved; `
            + parts.slice(0, 4).map((key) => `${words(key)} ${bytes(categories[key][i])}`).join(", ");
        this.readout.textContent = text;
        for (const [name, value] of [["valuemin", 0], ["valuemax", events.length - 1], ["valuenow", i], ["valuetext", text]]) {
            this.element.setAttribute(`aria-${name}`, value);
        }
    }
}
