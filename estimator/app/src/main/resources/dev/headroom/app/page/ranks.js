// The ranks of a run on several GPUs, or the GPUs of its one process, side by side; those that are alike are one row.

/** [{name, peak, fits}], the ones that take most first; none for a single GPU. */
function rankRows(run) {
    const { ranks, devices, device } = run.prediction;
    const rows =
        ranks?.map(({ ranks: name, peak }) => ({ name, peak })) ??
        devices?.map(({ device: number, peak }) => ({ name: `GPU ${number}`, peak })) ??
        [];
    for (const row of rows) {
        row.fits = device === null ? null : row.peak.device + device.in_use <= device.memory;
    }
    return rows;
}

function showRanks(run) {
    const rows = rankRows(run);
    const p = run.prediction;
    $("ranks").hidden = rows.length === 0;
    const whole = Math.max(1, p.device?.memory ?? 0, ...rows.map(({ peak }) => peak.device));
    const measured = (bytes) => {
        const meter = el("span", { class: "meter", "aria-hidden": "true" });
        meter.style.width = `${(100 * bytes) / whole}%`;
        return el("span", {}, mib(bytes), meter);
    };
    const columns = [
        { title: p.ranks ? "Ranks" : "GPU", wide: true, cell: ({ name }) => name },
        { title: "Allocated", number: true, cell: ({ peak }) => measured(peak.allocated) },
        { title: "Reserved", number: true, cell: ({ peak }) => measured(peak.reserved) },
        { title: "Device", number: true, cell: ({ peak }) => measured(peak.device) },
    ];
    if (p.device !== null) columns.push({ title: "Fits", cell: ({ fits }) => (fits ? "yes" : "no") });
    $("ranks-rows").replaceChildren(table(columns, rows));
}
