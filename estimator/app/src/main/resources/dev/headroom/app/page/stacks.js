// The bytes of each group after any event, without playing the run up to it.

/** Events from one remembered stack to the next. */
const STRIDE = 16;

class Stacks {
    constructor(run, grouping) {
        Object.assign(this, { run, grouping, groups: grouping.titles.length });
        this.remembered = new Float64Array(Math.ceil(run.size / STRIDE) * this.groups);
        const totals = new Float64Array(this.groups);
        for (let from = 0; from < run.size; from += STRIDE) {
            this.remembered.set(totals, (from / STRIDE) * this.groups);
            this.play(totals, from, Math.min(run.size, from + STRIDE));
        }
    }

    /** By group, its bytes after an event. */
    after(event) {
        const place = Math.floor(event / STRIDE);
        const totals = this.remembered.slice(place * this.groups, (place + 1) * this.groups);
        this.play(totals, place * STRIDE, event + 1);
        return totals;
    }

    /** Takes totals on, past the events from `from` up to, but without, `to`. */
    play(totals, from, to) {
        const { tensorOf, counted, counts } = this.run;
        for (let e = from; e < to; e++) {
            if (tensorOf[e] < 0 || counted[e] === counts[e]) continue;
            if (counted[e] >= 0) this.grouping.add(totals, tensorOf[e], counted[e], -1);
            if (counts[e] >= 0) this.grouping.add(totals, tensorOf[e], counts[e], 1);
        }
    }
}
