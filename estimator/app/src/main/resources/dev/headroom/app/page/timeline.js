// The chart of memory over events.

/** Where the zoom slider lies. */
const SLIDER = { left: EDGE.left, right: EDGE.right, bottom: 6, height: 26 };

class TimelineView extends TimelineMarks {
    constructor() {
        super();
        this.chart = chart("timeline-chart");
        this.life = $("timeline-chart").appendChild(el("div", { class: "life", hidden: true }));
        this.picture = new Picture();
        this.overview = new Overview($("timeline-chart"));
        this.chart.on("datazoom", () => this.zoomed());
        this.move = perFrame(() => this.chart.dispatchAction({ type: "dataZoom", ...this.window() }, { flush: true }));
        onRedraw(() => {
            this.chart.resize();
            this.draw();
        });
    }

    show(run, by) {
        const same = run === this.run;
        this.run = run;
        this.grouping = by === "module" ? byModule(run) : byCategory(run);
        this.stacks = new Stacks(run, this.grouping);
        if (!same) [this.from, this.to] = [0, run.size];
        this.chart.resize();
        this.draw();
    }

    get width() {
        return Math.max(50, this.chart.getWidth() - EDGE.left - EDGE.right);
    }

    get empty() {
        return this.run.size === 0;
    }

    /** The event at a distance from the chart's left edge. */
    eventAt(x) {
        const e = Math.floor(this.from + ((x - EDGE.left) / this.width) * (this.to - this.from));
        return Math.max(0, Math.min(this.run.size - 1, e));
    }

    /** The distance of an event from the chart's left edge. */
    xOf(event) {
        return EDGE.left + ((event - this.from) / (this.to - this.from)) * this.width;
    }

    /** Shows the events from `from` up to `to`, at least a few. */
    zoom(from, to) {
        const least = Math.min(this.run.size, 8);
        const middle = (from + to) / 2;
        const half = Math.max(to - from, least) / 2;
        const shift = Math.max(0, half - middle) - Math.max(0, middle + half - this.run.size);
        this.from = Math.max(0, Math.round(middle - half + shift));
        this.to = Math.min(this.run.size, Math.round(middle + half + shift));
        this.move();
        this.onzoom?.();
    }

    zoomBy(factor, around) {
        const keep = (around - this.from) / (this.to - this.from);
        const span = (this.to - this.from) * factor;
        this.zoom(around - keep * span, around + (1 - keep) * span);
    }

    /** What shows, as the library calls it. */
    window() {
        return { startValue: this.from, endValue: this.to };
    }

    /** The library has drawn another window, which may begin and end within an event. */
    zoomed() {
        [this.from, this.to] = this.seen();
        this.ondraw?.();
        this.onzoom?.();
    }

    /** The events that the library's axis has from edge to edge. */
    seen() {
        return this.chart.getModel().getComponent("xAxis").axis.scale.getExtent();
    }

    /** Sets axes, colours and what there is to draw. Of another window the library draws the same anew. */
    draw() {
        if (!this.run || this.empty) return;
        const series = [this.painted(), this.lines(), this.peakPoint()];
        this.chart.setOption({ ...chartBase(), ...this.frame(), series }, { notMerge: true });
        this.overview.draw(this.run, SLIDER);
        this.ondraw?.();
    }

    frame() {
        const most = this.top();
        const step = interval(most);
        this.axisTop = Math.ceil(most / step) * step;
        const quiet = { color: colour("quiet") };
        return {
            tooltip: { show: false },
            grid: EDGE,
            xAxis: {
                type: "value",
                min: 0,
                max: this.run.size,
                minInterval: 1,
                splitNumber: Math.max(2, Math.floor(this.width / 110)),
                axisLabel: { ...quiet, formatter: count, hideOverlap: true },
                axisLine: { lineStyle: { color: colour("line") } },
                splitLine: { show: false },
            },
            yAxis: bytesAxis({ min: 0, max: this.axisTop, interval: step, splitNumber: 5 }),
            dataZoom: [
                {
                    type: "inside",
                    filterMode: "none",
                    zoomOnMouseWheel: "ctrl",
                    moveOnMouseMove: false,
                    moveOnMouseWheel: "shift",
                },
                {
                    type: "slider",
                    filterMode: "none",
                    ...SLIDER,
                    brushSelect: false,
                    showDataShadow: false,
                    showDetail: false,
                    borderColor: colour("line"),
                    fillerColor: "rgba(120, 140, 160, 0.16)",
                    handleStyle: { color: colour("card"), borderColor: colour("quiet") },
                    moveHandleStyle: { color: colour("line") },
                },
            ].map((zoom) => ({
                ...zoom,
                ...this.window(),
                minValueSpan: Math.min(8, this.run.size),
            })),
        };
    }

    /** The highest byte of the axis. */
    top() {
        const need = this.run.prediction.peak.reserved;
        const bounds = this.bounds().map((bound) => bound.bytes);
        const drawn = $("whole").checked ? bounds : bounds.filter((bytes) => bytes <= need * NEAR);
        return Math.max(1, need * 1.05, ...drawn.map((bytes) => bytes * 1.02));
    }

    /** Whether the device is too large to be drawn whole unasked. */
    get far() {
        return this.bounds().some((bound) => bound.bytes > this.run.prediction.peak.reserved * NEAR);
    }

    /** Bands with their names, on them the stack and reserved memory. */
    painted() {
        const bands = this.bands();
        const font = { fill: colour("quiet"), fontSize: 12, fontFamily: fonts() };
        const colours = this.grouping.colours.map(paint);
        const ink = colour("ink");
        return drawn(2, (grid) => {
            const { x, y, width, height } = grid;
            const ratio = this.chart.getDevicePixelRatio();
            const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
            const { lefts, picks, reserved } = columnsOf(this.run, ...this.seen(), across);
            const stacks = Array.from(picks, (event) => this.stacks.after(event));
            this.picture.clear(across, down, this.axisTop);
            const shown = this.across(bands, grid);
            shown.forEach(({ left, right, tone, edge }) => {
                this.picture.band((left - x) * ratio, (right - x) * ratio, tone, edge, ratio);
            });
            this.picture.areas(lefts, stacks, colours);
            this.picture.line(lefts, reserved, ink, 1.4 * ratio, [5 * ratio, 3 * ratio]);
            const image = { type: "image", style: { image: this.picture.canvas, x, y, width, height } };
            return [image, ...shown.flatMap((band) => this.title(band, grid, font))];
        });
    }

    /** Marks the life of a tensor, or none. */
    showLife(t) {
        this.life.hidden = t === null;
        if (t === null) return;
        const left = Math.max(EDGE.left, this.xOf(this.run.born[t]));
        const right = Math.min(EDGE.left + this.width, this.xOf(this.run.died[t]));
        Object.assign(this.life.style, {
            left: `${left}px`,
            width: `${Math.max(0, right - left)}px`,
            top: `${EDGE.top}px`,
            bottom: `${EDGE.bottom}px`,
        });
    }
}
