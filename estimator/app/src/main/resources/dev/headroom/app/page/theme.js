// Colours come from the style sheet, so that dark, light and print are told once.

const drawings = [];
let colours = new Map();

/** A colour of the style sheet as the browser computes it now. */
function colour(name) {
    if (!colours.has(name)) {
        const probe = document.body.appendChild(el("i"));
        probe.style.color = `var(--${name})`;
        colours.set(name, getComputedStyle(probe).color);
        probe.remove();
    }
    return colours.get(name);
}

/** The fonts of the page, for text that charts draw. */
const fonts = () => getComputedStyle(document.body).fontFamily;

/** Calls a function now whenever colours or widths change. */
function onRedraw(draw) {
    drawings.push(draw);
}

function redraw() {
    colours = new Map();
    drawings.forEach((draw) => draw());
}

function chooseTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    try {
        localStorage.setItem("headroom-theme", theme);
    } catch {
        // A page opened from a file may not remember.
    }
    redraw();
}

function startTheme() {
    let theme = "";
    try {
        theme = localStorage.getItem("headroom-theme") ?? "";
    } catch {
        // As above.
    }
    if (theme) document.documentElement.dataset.theme = theme;
    $("theme").value = theme;
    $("theme").addEventListener("change", () => chooseTheme($("theme").value));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    matchMedia("print").addEventListener("change", redraw);
    let width = innerWidth;
    addEventListener(
        "resize",
        perFrame(() => {
            if (width !== innerWidth) redraw();
            width = innerWidth;
        }),
    );
}

/** A chart that keeps the width of its element. */
function chart(id) {
    return echarts.init($(id), null, { renderer: "canvas" });
}

/** What charts have in common. */
function chartBase() {
    return {
        animation: false,
        textStyle: { fontFamily: fonts(), color: colour("ink") },
        tooltip: {
            backgroundColor: colour("card"),
            borderColor: colour("line"),
            textStyle: { color: colour("ink") },
            confine: true,
            transitionDuration: 0,
            extraCssText: "box-shadow: 0 2px 12px rgb(0 0 0 / 0.15)",
        },
    };
}

/** An axis of bytes. */
function bytesAxis(more = {}) {
    return {
        type: "value",
        axisLabel: { color: colour("quiet"), formatter: axisSize },
        splitLine: { lineStyle: { color: colour("line") } },
        axisLine: { show: false },
        ...more,
    };
}

/** Round sizes without digits that say nothing. */
function axisSize(bytes) {
    if (bytes === 0) return "0";
    const [value, unit] = bytes < GIB ? [bytes / MIB, "MiB"] : [bytes / GIB, "GiB"];
    return `${Number(value.toPrecision(3))} ${unit}`;
}

/** A distance between the lines of an axis, a power of two or its half more, for about so many lines. */
function interval(most, lines = 5) {
    const step = 2 ** Math.floor(Math.log2(Math.max(most, 1) / lines));
    return most / step > lines * 1.5 ? step * 2 : step;
}
