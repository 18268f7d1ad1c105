// The segment map: the allocator's segments one after the other, in lines like text, with the blocks in them.

const LINE = 15;

/** What there is to say about a map. */
function fragmentation(map) {
    const gaps = [];
    let whole = 0;
    let reserved = 0;
    for (const segment of map.segments) {
        reserved += segment.size;
        const free = segment.blocks.filter((x, i) => i % 2 === 0 && segment.blocks[i + 1] < 0);
        gaps.push(...free);
        if (free.length === 1 && free[0] === segment.size) whole += segment.size;
    }
    const free = gaps.reduce((sum, bytes) => sum + bytes, 0);
    return { reserved, free, whole, gaps: gaps.length, largest: Math.max(0, ...gaps) };
}

class SegmentsView {
    constructor() {
        this.box = $("segments-chart");
        this.box.style.height = `${LINE}px`;
        this.chart = chart("segments-chart");
        this.chart.on("click", ({ data }) => this.select(this.pieces[data.at].block));
        this.box.addEventListener("keydown", (e) => this.key(e));
        $("segments-table").addEventListener("toggle", () => this.fillTable());
        onRedraw(() => this.draw());
    }

    show(run) {
        this.run = run;
        choices(
            $("maps"),
            "map",
            run.maps.map((map) => map.title),
            0,
            (i) => this.choose(i),
        );
        this.choose(0);
    }

    choose(i) {
        this.map = this.run.maps[i];
        this.block = null;
        if (!this.map) return;
        const f = fragmentation(this.map);
        this.total = f.reserved;
        this.blocks = this.layBlocks();
        $("segments-lead").textContent =
            `${size(f.reserved)} reserved in ${counted(this.map.segments.length, "segment")} ${this.map.title} of the run; ` +
            `${size(f.free)} (${percent(f.free, f.reserved)}) lie free in ${counted(f.gaps, "gap")}, the largest ${size(f.largest)}; ` +
            `${size(f.whole)} of them in segments that are wholly free and could go back to the driver. ` +
            "Frames are segments, colours what lies in them, the palest is free.";
        $("segments-text").textContent = "Point at a block, or move through them with the arrow keys.";
        this.draw();
        this.fillTable();
    }

    /** All blocks with their place in the line of all segments. */
    layBlocks() {
        const counts = this.run.countsAfter(this.map.event);
        const blocks = [];
        let at = 0;
        this.map.segments.forEach((segment, number) => {
            for (let i = 0; i < segment.blocks.length; i += 2) {
                const [bytes, tensor] = segment.blocks.slice(i, i + 2);
                const category = tensor < 0 ? "cached_free" : this.run.categories[counts[tensor]];
                blocks.push({ from: at, bytes, tensor, category, segment, number });
                at += bytes;
            }
        });
        return blocks;
    }

    /** A range of the line of all segments, cut where lines end. */
    cut(from, bytes, more) {
        const pieces = [];
        for (let at = from; at < from + bytes;) {
            const line = Math.floor(at / this.perLine);
            const end = Math.min(from + bytes, (line + 1) * this.perLine);
            pieces.push({ line, from: at - line * this.perLine, to: end - line * this.perLine, ...more });
            at = end;
        }
        return pieces;
    }

    draw() {
        if (!this.map) return;
        this.perLine = Math.max(MIB, Math.ceil(this.total / 24 / MIB) * MIB);
        const lines = Math.max(1, Math.ceil(this.total / this.perLine));
        this.pieces = this.blocks.flatMap((block) => this.cut(block.from, block.bytes, { block }));
        let at = 0;
        const frames = this.map.segments.flatMap((segment) => {
            at += segment.size;
            return this.cut(at - segment.size, segment.size, {});
        });
        this.box.style.height = `${lines * LINE + 2}px`;
        this.chart.resize();
        const base = chartBase();
        const pieces = this.pieces;
        const rows = (all) => all.map((piece, i) => ({ at: i, value: [piece.from, piece.to, piece.line] }));
        this.chart.setOption(
            {
                ...base,
                tooltip: { ...base.tooltip, formatter: ({ data }) => this.tip(pieces[data.at].block) },
                grid: { left: 1, right: 1, top: 1, bottom: 1 },
                xAxis: { type: "value", min: 0, max: this.perLine, show: false },
                yAxis: { type: "value", min: 0, max: lines, inverse: true, show: false },
                series: [
                    {
                        type: "custom",
                        renderItem: (params, api) => this.piece(pieces[params.dataIndex].block, api),
                        data: rows(pieces),
                    },
                    { type: "custom", silent: true, renderItem: (p, api) => this.frame(api), data: rows(frames) },
                ],
            },
            { notMerge: true },
        );
    }

    rect(api) {
        const [left, top] = api.coord([api.value(0), api.value(2)]);
        const [right] = api.coord([api.value(1), 0]);
        return { x: left, y: top + 1, width: Math.max(0.5, right - left), height: LINE - 3 };
    }

    piece(block, api) {
        const chosen = block === this.block;
        return {
            type: "rect",
            shape: this.rect(api),
            style: {
                fill: colour(`c-${block.category}`),
                stroke: chosen ? colour("accent") : colour("card"),
                lineWidth: chosen ? 3 : 0.4,
            },
            emphasis: { style: { stroke: colour("ink"), lineWidth: 1.5 } },
            z2: chosen ? 2 : 1,
        };
    }

    frame(api) {
        return {
            type: "rect",
            shape: this.rect(api),
            style: { fill: "none", stroke: colour("ink"), lineWidth: 0.7, opacity: 0.55 },
        };
    }

    describe(block) {
        const where = `segment ${block.number + 1} of ${count(this.map.segments.length)} (${block.segment.pool}, ${size(block.segment.size)})`;
        if (block.tensor < 0) return `${size(block.bytes)} free in ${where}`;
        const { run } = this;
        const t = block.tensor;
        const name = [run.title(t), run.owner(t)].filter(Boolean).join(", ");
        return (
            `${name}: ${size(block.bytes)}, ${run.shape(t)}, ${words(block.category)}, in ${where}; ` +
            `born in ${run.when(run.born[t])}, ${run.died[t] >= run.size ? "" : "dies in "}${run.when(run.died[t])}`
        );
    }

    tip(block) {
        return el("div", { class: "tip" }, this.describe(block));
    }

    select(block) {
        this.block = block;
        $("segments-text").textContent = this.describe(block);
        this.draw();
    }

    key(e) {
        if (!this.map || e.ctrlKey || e.metaKey || e.altKey) return;
        const i = this.block ? this.blocks.indexOf(this.block) : -1;
        const last = this.blocks.length - 1;
        const below = (sign) => {
            const at = (this.block?.from ?? 0) + sign * this.perLine;
            return this.blocks.findIndex((block) => at < block.from + block.bytes);
        };
        const next = {
            ArrowLeft: () => i - 1,
            ArrowRight: () => i + 1,
            ArrowUp: () => below(-1),
            ArrowDown: () => (below(1) < 0 ? last : below(1)),
            Home: () => 0,
            End: () => last,
        }[e.key];
        if (!next) return;
        e.preventDefault();
        this.select(this.blocks[Math.max(0, Math.min(last, next()))]);
    }

    fillTable() {
        if (!$("segments-table").open || !this.map) return;
        const rows = this.map.segments.map((segment, number) => {
            const { free, gaps, largest } = fragmentation({ segments: [segment] });
            return { number: number + 1, ...segment, free, gaps, largest };
        });
        const number = (title, key, cell) => ({ title, number: true, cell, key: (row) => row[key] });
        const columns = [
            number("Segment", "number", (row) => count(row.number)),
            { title: "Address", cell: (row) => `0x${row.address.toString(16)}`, key: (row) => row.address },
            { title: "Pool", cell: (row) => row.pool, key: (row) => row.pool },
            number("MiB", "size", (row) => mib(row.size)),
            number("Free", "free", (row) => mib(row.free)),
            number("Gaps", "gaps", (row) => count(row.gaps)),
            number("Largest gap", "largest", (row) => mib(row.largest)),
        ];
        new SortedTable($("segments-table").querySelector("div"), columns).show(rows);
    }
}
