// Memory by module: a row for every level of the module tree.

const ROW = 27;
const ON_COLOUR = "#15181b";

/** The tree of what is alive after an event; below every module, its own bytes by category. */
function icicleTree(run, event) {
    const node = (name, path, parent) => ({ name, path, parent, bytes: 0, children: new Map(), category: null });
    const root = node(run.prediction.model, "", null);
    const into = (at, name, path) => {
        if (!at.children.has(path)) at.children.set(path, node(name, path, at));
        return at.children.get(path);
    };
    for (const { tensor, category } of run.alive(event).sort((a, b) => a.tensor - b.tensor)) {
        const owner = run.owner(tensor);
        const names = owner ? owner.split(".") : [`(${run.by(tensor).operator || "no module"})`];
        let at = root;
        at.bytes += run.block[tensor];
        for (const name of names) {
            at = into(at, name, at.path ? `${at.path}.${name}` : name);
            at.bytes += run.block[tensor];
        }
        const leaf = into(at, words(category), `${at.path}\n${category}`);
        leaf.category = category;
        leaf.bytes += run.block[tensor];
    }
    return root;
}

class IcicleView {
    constructor() {
        this.box = $("icicle-chart");
        this.box.style.height = `${ROW}px`;
        this.chart = chart("icicle-chart");
        this.chart.on("click", ({ data }) => this.open(this.nodes[data.at]));
        this.box.addEventListener("keydown", (e) => this.key(e));
        $("icicle-table").addEventListener("toggle", () => this.fillTable());
        onRedraw(() => {
            this.draw();
        });
    }

    show(run, event) {
        this.run = run;
        this.tree = event < 0 ? null : icicleTree(run, event);
        const path = this.root?.path;
        this.root = this.tree && path ? (this.find(this.tree, path) ?? this.tree) : this.tree;
        this.focus = null;
        this.when = event < 0 ? "" : `${run.span(event).title}, event ${count(event)}`;
        this.draw();
        this.fillTable();
    }

    find(node, path) {
        if (node.path === path) return node;
        for (const child of node.children.values()) {
            const found = this.find(child, path);
            if (found) return found;
        }
        return null;
    }

    open(node) {
        if (!node || node.category !== null) return;
        // The one on top goes back up.
        this.root = node === this.root && node.parent ? node.parent : node;
        this.focus = this.root;
        this.draw();
    }

    /** The nodes that are wide enough to be seen, with their place. */
    layout(width) {
        const out = [];
        const least = this.root.bytes / width / 2;
        const place = (node, from, depth) => {
            if (node.bytes < least) return;
            out.push(Object.assign(node, { from, depth }));
            let at = from;
            for (const child of node.children.values()) {
                place(child, at, depth + 1);
                at += child.bytes;
            }
        };
        place(this.root, 0, 0);
        return out;
    }

    draw() {
        if (!this.root) return;
        this.nodes = this.layout(Math.max(50, this.box.clientWidth));
        // The chart draws again on its own, too: what it draws must stay as it was.
        const nodes = this.nodes;
        const fontFamily = fonts();
        const rows = 1 + Math.max(...nodes.map((node) => node.depth));
        this.box.style.height = `${rows * ROW + 2}px`;
        this.chart.resize();
        const base = chartBase();
        this.chart.setOption(
            {
                ...base,
                tooltip: {
                    ...base.tooltip,
                    formatter: ({ data }) => el("div", { class: "tip" }, this.describe(nodes[data.at])),
                },
                grid: { left: 1, right: 1, top: 1, bottom: 1 },
                xAxis: { type: "value", min: 0, max: this.root.bytes, show: false },
                yAxis: { type: "value", min: 0, max: rows, inverse: true, show: false },
                series: [
                    {
                        type: "custom",
                        renderItem: (params, api) => this.cell(nodes[params.dataIndex], api, fontFamily),
                        data: nodes.map((node, at) => ({
                            at,
                            value: [node.from, node.from + node.bytes, node.depth],
                        })),
                    },
                ],
            },
            { notMerge: true },
        );
        $("icicle-text").textContent = this.describe(this.focus ?? this.root);
        this.drawCrumbs();
    }

    cell(node, api, fontFamily) {
        const [left, top] = api.coord([api.value(0), api.value(2)]);
        const [right] = api.coord([api.value(1), 0]);
        const shape = { x: left, y: top, width: Math.max(0.5, right - left - 1), height: ROW - 2, r: 3 };
        const fill = node.category === null ? colour("c-module") : colour(`c-${node.category}`);
        const focused = node === this.focus;
        const text = right - left < 26 ? "" : right - left < 150 ? node.name : `${node.name}  ${size(node.bytes)}`;
        return {
            type: "rect",
            shape,
            style: { fill, stroke: focused ? colour("accent") : "none", lineWidth: focused ? 3 : 0 },
            emphasis: { style: { stroke: colour("ink"), lineWidth: 1.5 } },
            z2: focused ? 2 : 1,
            textConfig: { position: "insideLeft", distance: 5 },
            textContent: {
                style: {
                    text,
                    fill: node.category === null ? colour("ink") : ON_COLOUR,
                    fontSize: 12,
                    fontFamily,
                    width: Math.max(0, right - left - 9),
                    overflow: "truncate",
                },
            },
        };
    }

    describe(node) {
        const where =
            node.category !== null ? `${node.name} of ${node.parent.path || "the model"}` : node.path || node.name;
        const part = node === this.tree ? "" : `, ${percent(node.bytes, this.tree.bytes)} of what is allocated`;
        return `${where}: ${size(node.bytes)}${part} (${this.when})`;
    }

    drawCrumbs() {
        const up = [];
        for (let node = this.root; node; node = node.parent) up.unshift(node);
        const buttons = up.map((node) =>
            el(
                "button",
                { type: "button", "aria-current": node === this.root ? "true" : null, onclick: () => this.open(node) },
                node.name,
            ),
        );
        $("crumbs").replaceChildren(...(up.length > 1 ? buttons.flatMap((b, i) => (i ? [" › ", b] : [b])) : []));
    }

    key(e) {
        const at = this.focus ?? this.root;
        if (!at || e.ctrlKey || e.metaKey || e.altKey) return;
        const row = this.nodes.filter((node) => node.depth === at.depth);
        const i = row.indexOf(at);
        const next = {
            ArrowLeft: () => row[i - 1],
            ArrowRight: () => row[i + 1],
            ArrowUp: () => (at === this.root ? null : at.parent),
            ArrowDown: () => this.nodes.find((node) => node.parent === at && node.depth === at.depth + 1),
            Home: () => row[0],
            End: () => row[row.length - 1],
            Enter: () => this.open(at),
            Escape: () => this.open(this.tree),
        };
        if (!next[e.key]) return;
        e.preventDefault();
        const node = next[e.key]();
        if (!node) return;
        this.focus = node;
        this.draw();
    }

    fillTable() {
        if (!$("icicle-table").open || !this.tree) return;
        const rows = [];
        const walk = (node, depth) => {
            if (node.category === null) rows.push({ node, depth });
            node.children.forEach((child) => walk(child, depth + 1));
        };
        walk(this.tree, 0);
        const columns = [
            { title: "Module", wide: true, cell: ({ node }) => node.path || node.name, key: ({ node }) => node.path },
            { title: "Depth", number: true, cell: ({ depth }) => count(depth), key: ({ depth }) => depth },
            { title: "MiB", number: true, cell: ({ node }) => mib(node.bytes), key: ({ node }) => node.bytes },
            {
                title: "Share",
                number: true,
                cell: ({ node }) => percent(node.bytes, this.tree.bytes),
                key: ({ node }) => node.bytes,
            },
        ];
        new SortedTable($("icicle-table").querySelector("div"), columns).show(rows);
    }
}
