// From many events to as many columns as there are pixels. A column shows the moment within it at which most was
// allocated: a stack that really was, and no peak is lost.

/**
 * Columns of the events from `from` up to `to`, which may lie within an event, on so many pixels. An event that is
 * wider than a pixel has a column of its own.
 *
 * Returns by column the pixel at which it begins (`lefts`), the event that it shows (`picks`), and the most that was
 * `reserved` in it.
 */
function columnsOf(run, from, to, pixels) {
    const [first, last] = [Math.floor(from), Math.ceil(to)];
    const scale = (to - from) / pixels;
    const each = last - first <= pixels;
    const n = each ? last - first : pixels;
    const start = (c) => (c === n ? last : Math.floor(each ? first + c : from + c * scale));
    const columns = { lefts: new Float64Array(n), picks: new Int32Array(n), reserved: new Float64Array(n) };
    for (let c = 0; c < n; c++) {
        const begin = start(c);
        const end = Math.max(begin + 1, start(c + 1));
        columns.lefts[c] = each ? Math.max(0, (begin - from) / scale) : c;
        columns.picks[c] = run.mostAllocated.within(begin, end);
        columns.reserved[c] = run.reserved[run.mostReserved.within(begin, end)];
    }
    return columns;
}
