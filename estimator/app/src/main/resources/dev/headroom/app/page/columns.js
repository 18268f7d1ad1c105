// From many events to as many columns as there are pixels. A column shows the moment within it at which most was
// allocated: a stack that really was, and no peak is lost.

/**
 * Columns of the events from `from` up to, but without, `to`.
 *
 * Returns {starts, picks, reserved, stacks}: by column its first event, the event that it shows, the most that was
 * reserved in it; by group, bytes by column.
 */
function columnsOf(run, grouping, from, to, most) {
    const n = Math.max(1, Math.min(to - from, most));
    const starts = new Int32Array(n);
    const picks = new Int32Array(n);
    const reserved = new Float64Array(n);
    for (let c = 0; c < n; c++) {
        starts[c] = from + Math.floor((c * (to - from)) / n);
        const end = Math.max(starts[c] + 1, from + Math.floor(((c + 1) * (to - from)) / n));
        let pick = starts[c];
        let highest = 0;
        for (let e = starts[c]; e < end; e++) {
            if (run.allocated[e] > run.allocated[pick]) pick = e;
            if (run.reserved[e] > highest) highest = run.reserved[e];
        }
        picks[c] = pick;
        reserved[c] = highest;
    }
    return { starts, picks, reserved, stacks: stacksAt(run, grouping, picks) };
}

/** By group, its bytes after each of some events in rising order: one walk through the run. */
function stacksAt(run, grouping, events) {
    const totals = new Float64Array(grouping.titles.length);
    const stacks = grouping.titles.map(() => new Float64Array(events.length));
    const now = new Int8Array(run.block.length).fill(-1);
    let next = 0;
    for (let e = 0; next < events.length; e++) {
        const t = run.tensorOf[e];
        if (t >= 0 && now[t] !== run.counts[e]) {
            if (now[t] >= 0) grouping.add(totals, t, now[t], -1);
            now[t] = run.counts[e];
            if (now[t] >= 0) grouping.add(totals, t, now[t], 1);
        }
        while (next < events.length && events[next] === e) {
            for (let g = 0; g < totals.length; g++) stacks[g][next] = totals[g];
            next++;
        }
    }
    return stacks;
}
