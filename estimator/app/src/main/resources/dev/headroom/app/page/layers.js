// The tables of layers and of phases.

const HOLDS = [
    ["parameters", "Parameters"],
    ["gradients", "Gradients"],
    ["optimizer_state", "Optimizer state"],
    ["saved", "Saved"],
    ["peak_share", "At the peak"],
];

class LayersView {
    constructor() {
        const columns = [
            { title: "Module", wide: true, cell: (row) => row.module || "(the model)", key: (row) => row.module },
            { title: "Operator", cell: (row) => row.operator, key: (row) => row.operator },
            ...HOLDS.map(([key, title]) => ({
                title,
                number: true,
                cell: (row) => this.cell(row, key),
                key: (row) => row[key],
            })),
        ];
        this.table = new SortedTable($("layers-rows"), columns);
        $("layers-search").addEventListener("input", () => this.filter());
    }

    cell(row, key) {
        if (row[key] === 0) return "";
        if (key !== "peak_share") return mib(row[key]);
        const meter = el("span", { class: "meter", "aria-hidden": "true" });
        meter.style.width = `${(100 * row[key]) / this.most}%`;
        return el("span", {}, mib(row[key]), meter);
    }

    show(run) {
        this.rows = run.prediction.layers;
        this.most = Math.max(1, ...this.rows.map((row) => row.peak_share));
        this.filter();
    }

    filter() {
        const words = $("layers-search").value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = this.rows.filter((row) =>
            words.every((word) => `${row.module} ${row.operator}`.toLowerCase().includes(word)),
        );
        this.table.show(found);
        const sum = found.reduce((bytes, row) => bytes + row.peak_share, 0);
        $("layers-count").textContent =
            `${count(found.length)} of ${counted(this.rows.length, "row")}, ${size(sum)} at the peak`;
    }
}

function showPhases(run) {
    const columns = [
        { title: "Phase", wide: true, cell: (span) => span.title },
        { title: "Events", number: true, cell: (span) => count(span.to - span.from) },
        { title: "Allocated", number: true, cell: (span) => (span.to > 0 ? mib(run.allocated[span.to - 1]) : "") },
        { title: "Reserved", number: true, cell: (span) => (span.to > 0 ? mib(run.reserved[span.to - 1]) : "") },
        {
            title: "Highest allocated",
            number: true,
            cell: (span) => (span.peak >= 0 ? mib(run.allocated[span.peak]) : ""),
        },
    ];
    $("phases-rows").replaceChildren(table(columns, run.spans));
}
