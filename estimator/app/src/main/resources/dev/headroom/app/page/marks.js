// What is drawn around the stack of the timeline: phases, what there is of memory, reserved memory, the peak.

const EDGE = { left: 66, right: 26, top: 50, bottom: 64 };

/** A device up to so many times the need is drawn whole. */
const NEAR = 1.6;

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

    /** Reserved memory; with it the lines of what there is, and the peak. */
    lines(columns) {
        const ink = colour("ink");
        const label = { color: ink, fontSize: 12, textBorderColor: colour("card"), textBorderWidth: 3 };
        // The highest line has the names of the phases above it.
        const above = (bytes) => bytes < 0.92 * this.axisTop;
        const bounds = this.bounds().map(({ name, bytes }) => ({
            yAxis: bytes,
            label: {
                ...label,
                formatter: `${name}: ${size(bytes)}`,
                position: above(bytes) ? "insideStartTop" : "insideStartBottom",
            },
            lineStyle: { color: colour("bad"), type: "solid", width: 1.5 },
        }));
        const { peak, prediction } = this.run;
        const near = (peak - this.from) / (this.to - this.from);
        const position = near > 0.8 ? "left" : "right";
        const points =
            peak < this.from || peak >= this.to ? [] : [{ coord: [peak + 0.5, this.run.allocated[peak]], position }];
        if (prediction.oom && this.to === this.run.size) {
            bounds.push({
                xAxis: this.run.size,
                label: { ...label, color: colour("bad"), formatter: "out of memory", position: "insideEndTop" },
                lineStyle: { color: colour("bad"), type: "dashed", width: 1.5 },
            });
        }
        return {
            type: "line",
            name: "reserved",
            step: "end",
            symbol: "none",
            silent: true,
            z: 4,
            lineStyle: { color: ink, width: 1.4, type: [5, 3] },
            data: this.points(columns, columns.reserved),
            markLine: { symbol: "none", silent: true, animation: false, data: bounds },
            markPoint: {
                symbol: "circle",
                symbolSize: 8,
                animation: false,
                itemStyle: { color: colour("card"), borderColor: ink, borderWidth: 2 },
                data: points.map(({ coord, position: side }) => ({
                    coord,
                    label: {
                        ...label,
                        show: true,
                        position: side,
                        distance: 6,
                        formatter: `peak ${size(coord[1])}`,
                        fontWeight: 600,
                    },
                })),
            },
        };
    }

    /** Bands for phases, the steps above them, where they can be seen; names where they fit. */
    bands() {
        const bands = [];
        const fontFamily = fonts();
        const scale = this.width / (this.to - this.from);
        const add = (name, from, to, row, tone) => {
            const [a, b] = [Math.max(from, this.from), Math.min(to, this.to)];
            const wide = (b - a) * scale;
            if (wide >= 4) bands.push({ name: wide > name.length * 6.6 + 6 ? name : "", row, tone, value: [a, b] });
        };
        this.run.spans.forEach((span, i) => {
            add(span.phase, span.from, span.to, 0, i % 2 ? colour("band") : "none");
        });
        for (const [title, from, to] of this.steps()) add(title, from, to, 1, "none");
        return {
            type: "custom",
            silent: true,
            clip: false,
            z: 0,
            encode: { x: [0, 1] },
            data: bands,
            renderItem: (params, api) => this.band(bands[params.dataIndex], params.coordSys, api, fontFamily),
        };
    }

    band({ name, row, tone }, grid, api, fontFamily) {
        const [left, right] = [0, 1].map((i) => api.coord([api.value(i), 0])[0]);
        const shape = { x: left, y: grid.y, width: right - left, height: grid.height };
        const line = row === 0 ? "none" : colour("line");
        const title = {
            text: name,
            x: (left + right) / 2,
            y: grid.y - 5 - 19 * row,
            align: "center",
            verticalAlign: "bottom",
        };
        return {
            type: "group",
            children: [
                { type: "rect", shape, style: { fill: tone, stroke: line } },
                { type: "text", style: { ...title, fill: colour("quiet"), fontSize: 12, fontFamily } },
            ],
        };
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
