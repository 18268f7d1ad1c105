// The chart of memory over events.

class TimelineView extends TimelineMarks {
    constructor() {
        super();
        this.chart = chart("timeline-chart");
        this.life = $("timeline-chart").appendChild(el("div", { class: "life", hidden: true }));
        this.chart.on("datazoom", () => this.zoomed());
        this.resample = perFrame(() => this.draw(false));
        onRedraw(() => {
            this.chart.resize();
            this.draw(true);
        });
    }

    show(run, by) {
        const same = run === this.run;
        this.run = run;
        this.grouping = by === "module" ? byModule(run) : byCategory(run);
        if (!same) [this.from, this.to] = [0, run.size];
        this.chart.resize();
        this.draw(true);
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
        const startValue = Math.max(0, Math.round(middle - half + shift));
        const endValue = Math.min(this.run.size, Math.round(middle + half + shift));
        // The library's own action would first draw the old columns in the new place.
        [this.from, this.to] = [startValue, endValue];
        this.resample();
        this.onzoom?.();
    }

    zoomBy(factor, around) {
        const keep = (around - this.from) / (this.to - this.from);
        const span = (this.to - this.from) * factor;
        this.zoom(around - keep * span, around + (1 - keep) * span);
    }

    zoomed() {
        const zoom = this.chart.getModel().getComponent("dataZoom", 1).option;
        this.from = Math.max(0, Math.floor(zoom.startValue));
        this.to = Math.min(this.run.size, Math.max(this.from + 1, Math.ceil(zoom.endValue)));
        this.resample();
        this.onzoom?.();
    }

    /** Draws the part that shows; `whole` sets up axes and colours, too. */
    draw(whole) {
        if (!this.run || this.empty) return;
        const groups = this.grouping.titles.length;
        const columns = columnsOf(this.run, this.grouping, this.from, this.to, Math.min(this.width, 9000 / groups));
        const frame = whole ? this.frame() : null;
        const series = [this.overview(whole), this.bands(), ...this.stack(columns), this.lines(columns)];
        const window = { startValue: this.from, endValue: this.to };
        const option = whole ? { ...chartBase(), ...frame, series } : { series, dataZoom: [window, window] };
        this.chart.setOption(option, { notMerge: whole, lazyUpdate: false });
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
                    height: 26,
                    bottom: 6,
                    left: EDGE.left,
                    right: EDGE.right,
                    brushSelect: false,
                    showDetail: false,
                    borderColor: colour("line"),
                    fillerColor: "rgba(120, 140, 160, 0.16)",
                    handleStyle: { color: colour("card"), borderColor: colour("quiet") },
                    moveHandleStyle: { color: colour("line") },
                    dataBackground: { lineStyle: quiet, areaStyle: { color: colour("quiet"), opacity: 0.3 } },
                    selectedDataBackground: { lineStyle: quiet, areaStyle: { color: colour("quiet"), opacity: 0.5 } },
                },
            ].map((zoom) => ({
                ...zoom,
                startValue: this.from,
                endValue: this.to,
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

    /** The whole run, unseen: the zoom slider draws its shape. */
    overview(whole) {
        const series = {
            type: "line",
            silent: true,
            symbol: "none",
            lineStyle: { opacity: 0 },
        };
        if (!whole) return series;
        const all = columnsOf(this.run, { titles: [], add() {} }, 0, this.run.size, 1000);
        return { ...series, data: Array.from(all.starts, (e, c) => [e, this.run.allocated[all.picks[c]]]) };
    }

    /** One area behind the other, the sum of all groups at the back: the library would stack along the first axis. */
    stack(columns) {
        const sum = new Float64Array(columns.starts.length);
        const areas = this.grouping.titles.map((name, g) => {
            columns.stacks[g].forEach((bytes, c) => (sum[c] += bytes));
            return {
                type: "line",
                name,
                step: "end",
                symbol: "none",
                silent: true,
                lineStyle: { width: 0 },
                areaStyle: { color: paint(this.grouping.colours[g]), opacity: 1 },
                data: this.points(columns, sum),
            };
        });
        return areas.reverse();
    }

    points(columns, values) {
        const out = Array.from(columns.starts, (e, c) => [e, values[c]]);
        out.push([this.to, values[values.length - 1]]);
        return out;
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
