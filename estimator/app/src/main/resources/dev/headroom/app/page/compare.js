// Several scenarios beside each other.

class ComparisonView {
    constructor(runs) {
        this.runs = runs;
        $("comparison-rows").replaceChildren(this.rows());
        this.phases = this.phaseTitles();
        $("comparison-phase-rows").replaceChildren(this.phaseRows());
        $("comparison-legend").replaceChildren(
            ...this.parts().map((key) => el("li", {}, swatch(partColour(key)), words(key))),
        );
        $("comparison-chart").style.height = `${runs.length * 62 + 50}px`;
        $("comparison-phases").style.height = "19rem";
        this.peaks = chart("comparison-chart");
        this.steps = chart("comparison-phases");
        onRedraw(() => this.draw());
    }

    /** The categories that any run has at its peak. */
    parts() {
        const found = this.runs.flatMap((run) => deviceParts(run.prediction, run.raw.context).map(([key]) => key));
        return [...STACK, "cached_free", "context", "in_use"].filter((key) => found.includes(key));
    }

    rows() {
        const first = this.runs[0].prediction.peak.device;
        const change = (bytes) =>
            bytes === first
                ? "–"
                : `${bytes > first ? "+" : "−"}${((100 * Math.abs(bytes - first)) / first).toFixed(1)} %`;
        const verdict = ({ prediction: { verdict } }) =>
            verdict.fits === null ? "no device named" : verdict.fits ? "fits" : "does not fit";
        const bytes = (title, of) => ({
            title,
            number: true,
            cell: (run) => (of(run.prediction) === null ? "–" : mib(of(run.prediction))),
        });
        const columns = [
            {
                title: "Scenario",
                wide: true,
                cell: (run) => el("span", {}, run.label, el("span", { class: "under" }, run.raw.scenario)),
            },
            { title: "Verdict", cell: verdict },
            bytes("Allocated", (p) => p.peak.allocated),
            bytes("Reserved", (p) => p.peak.reserved),
            bytes("Device", (p) => p.peak.device),
            { title: "Against the first", number: true, cell: (run) => change(run.prediction.peak.device) },
            bytes("Least memory", (p) => p.verdict.minimum_memory),
            bytes("Left", (p) => p.verdict.headroom),
        ];
        return table(columns, this.runs, { caption: "Peaks in MiB" });
    }

    /** The phases of the last step that any run has begun; before the first step, all there are. */
    phaseTitles() {
        const spans = this.runs.flatMap((run) => run.spans).filter((span) => span.to > span.from);
        const last = Math.max(...spans.map((span) => span.step ?? -1));
        return [...new Set(spans.filter((span) => (span.step ?? -1) === last).map((span) => span.title))];
    }

    /** Null where a run has not come to a phase. */
    highest(run, title) {
        const span = run.spans.find((other) => other.title === title && other.to > other.from);
        return span ? run.allocated[span.peak] : null;
    }

    phaseRows() {
        const number = (bytes) => (bytes === null ? "not reached" : mib(bytes));
        const columns = [
            { title: "Phase", wide: true, cell: (title) => title },
            ...this.runs.map((run) => ({
                title: run.label,
                number: true,
                cell: (title) => number(this.highest(run, title)),
            })),
        ];
        return table(columns, this.phases, { caption: "Highest allocated MiB" });
    }

    draw() {
        this.peaks.resize();
        this.steps.resize();
        this.drawPeaks();
        this.drawPhases();
    }

    drawPeaks() {
        const parts = this.runs.map((run) => new Map(deviceParts(run.prediction, run.raw.context)));
        const most = Math.max(...parts.map((map) => [...map.values()].reduce((sum, bytes) => sum + bytes, 0)));
        const memory = this.runs[0].prediction.device?.memory;
        const shown = memory && memory < NEAR * most ? memory : null;
        const step = interval(Math.max(most, shown ?? 0) * 1.02, this.peaks.getWidth() < 500 ? 3 : 6);
        const base = chartBase();
        const series = this.parts().map((key, i) => ({
            type: "bar",
            stack: "device",
            name: words(key),
            barWidth: 22,
            itemStyle: { color: colour(`c-${key}`) },
            data: parts.map((map) => map.get(key) ?? 0),
            markLine:
                i === 0 && shown
                    ? {
                          symbol: "none",
                          silent: true,
                          animation: false,
                          lineStyle: { color: colour("bad"), type: "solid" },
                          label: { formatter: `device ${size(shown)}`, color: colour("ink"), position: "insideEndTop" },
                          data: [{ xAxis: shown }],
                      }
                    : undefined,
        }));
        this.peaks.setOption(
            {
                ...base,
                tooltip: {
                    ...base.tooltip,
                    trigger: "item",
                    formatter: ({ seriesName, value, name }) =>
                        el("div", { class: "tip" }, `${name}: ${seriesName} ${size(value)}`),
                },
                grid: { left: 4, right: 20, top: 4, bottom: 26 },
                xAxis: bytesAxis({
                    min: 0,
                    max: Math.ceil((Math.max(most, shown ?? 0) * 1.02) / step) * step,
                    interval: step,
                }),
                yAxis: {
                    type: "category",
                    inverse: true,
                    data: this.runs.map((run) => run.label),
                    axisLine: { show: false },
                    axisTick: { show: false },
                    axisLabel: {
                        inside: true,
                        verticalAlign: "bottom",
                        padding: [0, 0, 14, -4],
                        color: colour("ink"),
                        overflow: "truncate",
                        width: this.peaks.getWidth() - 40,
                    },
                    z: 3,
                },
                series,
            },
            { notMerge: true },
        );
    }

    drawPhases() {
        const base = chartBase();
        const most = Math.max(1, ...this.runs.flatMap((run) => this.phases.map((title) => this.highest(run, title))));
        const step = interval(most);
        this.steps.setOption(
            {
                ...base,
                tooltip: {
                    ...base.tooltip,
                    trigger: "item",
                    formatter: ({ seriesName, value, name }) =>
                        el("div", { class: "tip" }, `${name}, ${seriesName}: ${size(value)}`),
                },
                legend: {
                    type: "scroll",
                    top: 0,
                    left: 0,
                    textStyle: { color: colour("ink"), width: 260, overflow: "truncate" },
                },
                grid: { left: 66, right: 10, top: 40, bottom: 30 },
                xAxis: {
                    type: "category",
                    data: this.phases.map((title) => title.replace(/ of step.*$/, "")),
                    axisLabel: { color: colour("quiet"), interval: 0, hideOverlap: true },
                    axisLine: { lineStyle: { color: colour("line") } },
                    axisTick: { show: false },
                },
                yAxis: bytesAxis({ min: 0, max: Math.ceil(most / step) * step, interval: step }),
                series: this.runs.map((run, i) => ({
                    type: "bar",
                    name: run.label,
                    barMaxWidth: 30,
                    itemStyle: {
                        color: ramp(this.runs.length > 1 ? i / (this.runs.length - 1) : 0),
                        borderRadius: [3, 3, 0, 0],
                    },
                    data: this.phases.map((title) => this.highest(run, title)),
                })),
            },
            { notMerge: true },
        );
    }
}
