// The answer: the verdict, the device as a bar, the peaks, and what to know about them.

function showVerdict(run) {
    const p = run.prediction;
    $("model").textContent = p.model;
    $("scenario").textContent = run.raw.scenario;
    document.title = `${p.model}: ${run.raw.verdict[0]}`;
    const state = p.verdict.fits === null ? "" : p.verdict.fits ? "good" : "bad";
    const [first, ...rest] = run.raw.verdict;
    $("verdict").replaceChildren(
        el("p", { class: `verdict ${state}` }, first),
        ...rest.map((line) => el("p", {}, line)),
    );
    $("device").replaceChildren(...deviceBar(run));
    $("peaks").replaceChildren(...figures(run));
    $("notes").replaceChildren(...notes(p));
    $("certainty").querySelector("div").replaceChildren(certainty(p));
}

/** What the device holds at the peak: [category, bytes], all that is not zero. */
function deviceParts(p, context) {
    const parts = STACK.map((key) => [key, p.at_peak[key]]);
    parts.push(["cached_free", p.peak.reserved - p.peak.allocated]);
    parts.push(["context", context]);
    parts.push(["in_use", p.device?.in_use ?? 0]);
    return parts.filter(([, bytes]) => bytes > 0);
}

const partColour = (key) => `var(--c-${key})`;

function deviceBar(run) {
    const p = run.prediction;
    const parts = deviceParts(p, run.raw.context);
    const used = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
    const whole = Math.max(p.device?.memory ?? 0, used);
    if (whole === 0) return [];
    const bar = el("div", { class: "bar", "aria-hidden": "true" });
    const legend = el("ul", { class: "legend", "aria-label": "Memory at the peak" });
    for (const [key, bytes] of parts) {
        const piece = bar.appendChild(el("i", { title: `${words(key)}: ${size(bytes)}` }));
        piece.style.width = `${(100 * bytes) / whole}%`;
        piece.style.background = partColour(key);
        legend.append(el("li", {}, swatch(partColour(key)), `${words(key)} ${size(bytes)}`));
    }
    if (whole > used) legend.append(el("li", {}, swatch("var(--band)"), `free ${size(whole - used)}`));
    if (p.device?.limit) {
        const mark = bar.appendChild(el("span", { class: "mark" }));
        mark.style.left = `calc(${(100 * p.device.limit) / whole}% - 3px)`;
        legend.append(el("li", {}, swatch("var(--bad)"), `limit of the allocator ${size(p.device.limit)}`));
    }
    return [bar, legend];
}

function figures(run) {
    const p = run.prediction;
    const { interval } = p;
    const sure = interval
        ? `; ${(100 * interval.level).toFixed(0)} %: ${size(interval.low)} to ${size(interval.high)}`
        : "";
    const where = run.size > 0 ? `, in ${run.span(run.peak).title}` : "";
    const out = [
        ["Allocated", size(p.peak.allocated), `live blocks at the peak${where}`],
        ["Reserved", size(p.peak.reserved), "segments taken from the driver"],
        ["Device", size(p.peak.device), `as nvidia-smi shows the process${sure}`],
    ];
    if (p.verdict.minimum_memory !== null) {
        out.push(["Least device memory", size(p.verdict.minimum_memory), "in which the run gets through"]);
    }
    return out.map(([name, value, about]) =>
        el("div", {}, el("dt", {}, name), el("dd", { class: "value" }, value), el("dd", { class: "about" }, about)),
    );
}

function notes(p) {
    const out = p.warnings.map((text) => el("p", { class: "note" }, `Warning: ${text}`));
    const { source, ...levels } = p.convolution_workspaces ?? {};
    const answered = Object.entries(levels).filter(([, n]) => n > 0);
    if (answered.length > 0) {
        const counts = answered.map(([level, n]) => `${counted(n, "convolution")} ${level}`).join(", ");
        out.push(el("p", { class: "note" }, `cuDNN workspaces: ${counts}${source ? ` (${source})` : ""}`));
    }
    if (p.unmodelled.length > 0) {
        const names = p.unmodelled.map((u) => `${u.operator} (${counted(u.count, "call")})`).join(", ");
        out.unshift(el("p", { class: "note bad" }, `Operators without a memory rule, estimated roughly: ${names}`));
    }
    return out;
}

function certainty(p) {
    const columns = [
        { title: "Part", wide: true, cell: (line) => words(line.part) },
        { title: "MiB", number: true, cell: (line) => mib(line.bytes) },
        { title: "At least", number: true, cell: (line) => mib(line.low) },
        { title: "At most", number: true, cell: (line) => mib(line.high) },
        { title: "Known", cell: (line) => line.kind },
        { title: "From", cell: (line) => line.source },
    ];
    return table(columns, p.device_lines);
}
