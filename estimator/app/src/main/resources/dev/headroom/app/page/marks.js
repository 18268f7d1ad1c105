// What is drawn around the stack of the timeline: phases, what there is of memory, reserved memory, the peak.

const EDGE = { left: 66, right: 26, top: 50, bottom: 64 };

/** A device up to so many times the need is drawn whole. */
const NEAR = 1.6;

/** A series that draws elements of its own whenever the library draws. */
function drawn(z, elements) {
    const renderItem = (params, api) => ({ type: "group", children: elements(params.coordSys, api) });
    return { type: "custom", silent: true, z, data: [[0, 0]], renderItem };
}

/** Part of the timeline, which has the run, and the events that show: those from `from` up to, but without, `to`. */
class TimelineMarks {
    /** What the allocator can have, as far as it is known. */
    bounds() {
        const room = this.run.room();
        const limit = this.run.prediction.device?.limit ?? null;
        return [
            { name: "room on the device", bytes: room },
            { name: "limit of the allocator", bytes: limit },
        ].filter((bound) => bound.bytes !== null);
    }

    /** Lines of what there is. */
    lines() {
        const label = { color: colour("ink"), fontSize: 12, textBorderColor: colour("card"), textBorderWidth: 3 };
        // The highest line has the names of the phases above it.
        const above = (bytes) => bytes < 0.92 * this.axisTop;
        const lines = this.bounds().map(({ name, bytes }) => ({
            yAxis: bytes,
            label: {
                ...label,
                formatter: `${name}: ${size(bytes)}`,
                position: above(bytes) ? "insideStartTop" : "insideStartBottom",
            },
            lineStyle: { color: colour("bad"), type: "solid", width: 1.5 },
        }));
        if (this.run.prediction.oom) {
            lines.push({
                xAxis: this.run.size,
                label: { ...label, color: colour("bad"), formatter: "out of memory", position: "insideEndTop" },
                lineStyle: { color: colour("bad"), type: "dashed", width: 1.5 },
            });
        }
        const markLine = { symbol: "none", silent: true, animation: false, data: lines };
        return { type: "line", silent: true, markLine };
    }

    /** A point with the bytes of the peak, where it can be seen. */
    peakPoint() {
        const event = this.run.peak;
        const bytes = this.run.allocated[event];
        const [ink, card, fontFamily] = [colour("ink"), colour("card"), fonts()];
        const text = { text: `peak ${size(bytes)}`, fill: ink, stroke: card, lineWidth: 3 };
        return drawn(5, ({ x, width }, api) => {
            const [cx, cy] = api.coord([event + 0.5, bytes]);
            if (cx < x || cx > x + width) return [];
            const position = cx > x + 0.8 * width ? "left" : "right";
            return [
                {
                    type: "circle",
                    shape: { cx, cy, r: 4 },
                    style: { fill: card, stroke: ink, lineWidth: 2 },
                    textContent: { type: "text", style: { ...text, fontSize: 12, fontWeight: 600, fontFamily } },
                    textConfig: { position, distance: 6 },
                },
            ];
        });
    }

    /** The phases of the run, and the steps above them. */
    bands() {
        const tone = (i) => (i % 2 ? colour("band") : null);
        const edge = colour("line");
        return [
            ...this.run.spans.map(({ phase, from, to }, i) => ({ name: phase, from, to, row: 0, tone: tone(i), edge: null })),
            ...this.steps().map(([name, from, to]) => ({ name, from, to, row: 1, tone: null, edge })),
        ];
    }

    /** Bands where they can be seen, with the distances of their edges. */
    across(bands, grid) {
        const [first, last] = this.seen();
        const x = (event) => grid.x + ((event - first) / (last - first)) * grid.width;
        return bands
            .map((band) => ({ ...band, left: x(Math.max(band.from, first)), right: x(Math.min(band.to, last)) }))
            .filter(({ left, right }) => right - left >= 4);
    }

    /** The name of a band above it, where it fits. */
    title({ name, left, right, row }, grid, font) {
        if (right - left <= name.length * 6.6 + 6) return [];
        const place = { align: "center", verticalAlign: "bottom", x: (left + right) / 2, y: grid.y - 5 - 19 * row };
        return [{ type: "text", style: { ...font, ...place, text: name } }];
    }

    /** [title, from, to] of every step. */
    steps() {
        const steps = new Map();
        this.run.spans.forEach((span) => {
            if (span.step !== null) steps.set(span.step, [steps.get(span.step)?.[0] ?? span.from, span.to]);
        });
        return [...steps].map(([step, [from, to]]) => [`step ${step}`, from, to]);
    }
}
