"use strict";
// The tables are there without this script; it draws the charts, filters and sorts.
(() => {
    const MIB = 2 ** 20;
    const $ = (id) => document.getElementById(id);
    const data = JSON.parse($("data").textContent);
    const worst = (peaks) => Math.max(...Object.values(peaks).map((p) => Math.abs(p.error)));

    function colour(name) {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.color = `var(--${name})`;
        const computed = getComputedStyle(probe).color;
        probe.remove();
        return computed;
    }

    function size(bytes) {
        return bytes < 1024 * MIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / MIB / 1024).toFixed(2)} GiB`;
    }

    function text(value) {
        const node = document.createElement("span");
        node.textContent = value;
        return node.innerHTML;
    }

    function axis(name, more) {
        const quiet = colour("quiet");
        return {
            name,
            nameLocation: "middle",
            nameGap: 40,
            nameTextStyle: { color: quiet },
            axisLabel: { color: quiet },
            splitLine: { lineStyle: { color: colour("line") } },
            ...more,
        };
    }

    function base() {
        const ink = colour("ink");
        return {
            animation: false,
            textStyle: { color: ink },
            legend: { top: 0, textStyle: { color: ink } },
            grid: { left: 70, right: 20, top: 40, bottom: 56 },
        };
    }

    function points(quantity) {
        return data.outcomes
            .filter((o) => o.peaks[quantity] && o.peaks[quantity].measured > 0)
            .map((o) => ({
                value: [o.peaks[quantity].measured / MIB, 100 * o.peaks[quantity].error],
                name: `${o.source} ${o.name}`,
                peak: o.peaks[quantity],
            }));
    }

    function scatter(chart) {
        const series = ["allocated", "reserved", "device"].map((quantity) => ({
            name: quantity,
            type: "scatter",
            symbolSize: 7,
            itemStyle: { opacity: 0.75 },
            data: points(quantity),
        }));
        chart.setOption({
            ...base(),
            tooltip: {
                confine: true,
                formatter: ({ data: p, seriesName }) =>
                    `${text(p.name)}<br>${seriesName}: predicted ${size(p.peak.predicted)}, measured ` +
                    `${size(p.peak.measured)} (${(100 * p.peak.error).toFixed(2)} %)`,
            },
            xAxis: axis("measured MiB", { type: "log" }),
            yAxis: axis("error, %", { type: "value" }),
            series,
        });
    }

    /** Steps from no error to the largest: [error in percent, share of runs in percent]. */
    function steps(errors) {
        const sorted = errors.filter(Number.isFinite).sort((a, b) => a - b);
        return sorted.map((e, i) => [Math.max(100 * e, 0.001), (100 * (i + 1)) / sorted.length]);
    }

    function line(name, errors, type) {
        return { name, type: "line", step: "end", showSymbol: false, lineStyle: { type }, data: steps(errors) };
    }

    function shares(chart) {
        const sources = [...new Set(data.outcomes.map((o) => o.source))];
        const others = [...new Set(data.outcomes.flatMap((o) => Object.keys(o.others)))];
        chart.setOption({
            ...base(),
            tooltip: { trigger: "axis", confine: true, valueFormatter: (v) => `${Number(v).toFixed(1)} %` },
            xAxis: axis("error, %", { type: "log", max: 100 }),
            yAxis: axis("share of runs, %", { type: "value", max: 100 }),
            series: [
                ...sources.map((s) =>
                    line(`Headroom: ${s}`, data.outcomes.filter((o) => o.source === s).map((o) => worst(o.peaks)), "solid"),
                ),
                ...others.map((name) =>
                    line(name, data.outcomes.map((o) => Math.abs(o.others[name]?.peak?.error ?? NaN)), "dashed"),
                ),
            ],
        });
    }

    function draw() {
        if (!data.outcomes.some((o) => Object.keys(o.peaks).length)) return;
        $("charts").hidden = false;
        const charts = [$("scatter"), $("shares")].map((node) => echarts.init(node));
        const paint = () => {
            scatter(charts[0]);
            shares(charts[1]);
        };
        paint();
        addEventListener("resize", () => charts.forEach((c) => c.resize()));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    }

    function filter() {
        const rows = [...$("runs").tBodies[0].rows];
        $("filter").addEventListener("input", () => {
            const word = $("filter").value.toLowerCase();
            rows.forEach((row) => (row.hidden = !row.textContent.toLowerCase().includes(word)));
            $("shown").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} runs`;
        });
    }

    function sort() {
        const body = $("runs").tBodies[0];
        [...$("runs").tHead.rows[0].cells].forEach((head, column) => {
            const button = document.createElement("button");
            button.textContent = head.textContent;
            head.replaceChildren(button);
            button.addEventListener("click", () => {
                const down = head.getAttribute("aria-sort") !== "descending";
                [...$("runs").tHead.rows[0].cells].forEach((h) => h.removeAttribute("aria-sort"));
                head.setAttribute("aria-sort", down ? "descending" : "ascending");
                const key = (row) => row.cells[column].dataset.key ?? row.cells[column].textContent;
                const compare = (a, b) => {
                    const difference = Number(key(b)) - Number(key(a));
                    return Number.isNaN(difference) ? key(b).localeCompare(key(a)) : difference;
                };
                body.append(...[...body.rows].sort((a, b) => (down ? compare(a, b) : compare(b, a))));
            });
        });
    }

    draw();
    filter();
    sort();
})();
