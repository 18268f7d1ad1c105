// A run as the page reads it: columns of numbers, one place per event or per tensor. See EventsJson.java.

/** Values that hold from an event on, spread to one per event. */
function spread(pairs, length, Type) {
    const out = new Type(length);
    for (let i = 0; i < pairs.length; i += 2) {
        out.fill(pairs[i + 1], pairs[i], i + 2 < pairs.length ? pairs[i + 2] : length);
    }
    return out;
}

class Run {
    constructor(raw) {
        const n = raw.events.tensor.length;
        this.raw = raw;
        this.prediction = raw.prediction;
        this.label = raw.label;
        this.size = n;
        this.categories = raw.categories;
        this.spans = raw.spans;
        this.maps = raw.maps;
        this.peak = raw.peak_event;
        this.tensorOf = Int32Array.from(raw.events.tensor);
        this.counts = Int8Array.from(raw.events.counts);
        this.block = Float64Array.from(raw.tensors.block);
        this.requested = Float64Array.from(raw.tensors.requested);
        this.running = spread(raw.running, n, Int32Array);
        this.reserved = spread(raw.reserved, n, Float64Array);
        this.born = new Int32Array(this.block.length).fill(-1);
        this.died = new Int32Array(this.block.length).fill(n);
        this.allocated = new Float64Array(n);
        // What an event's tensor counted as before the event.
        this.counted = new Int8Array(n);
        const counted = new Int8Array(this.block.length).fill(-1);
        let now = 0;
        for (let e = 0; e < n; e++) {
            const t = this.tensorOf[e];
            if (t >= 0 && this.counts[e] < 0) {
                this.died[t] = e;
                now -= this.block[t];
            } else if (t >= 0 && this.born[t] < 0) {
                this.born[t] = e;
                now += this.block[t];
            }
            this.allocated[e] = now;
            if (t < 0) continue;
            this.counted[e] = counted[t];
            counted[t] = this.counts[e];
        }
        this.mostAllocated = new Highest(this.allocated);
        this.mostReserved = new Highest(this.reserved);
    }

    /** By tensor, the number of its category after an event, or -1. */
    countsAfter(event) {
        const out = new Int8Array(this.block.length).fill(-1);
        for (let e = 0; e <= event; e++) {
            if (this.tensorOf[e] >= 0) out[this.tensorOf[e]] = this.counts[e];
        }
        return out;
    }

    /** What is alive after an event, largest first. */
    alive(event) {
        const counts = this.countsAfter(event);
        const out = [];
        for (let t = 0; t < counts.length; t++) {
            if (counts[t] >= 0) out.push({ tensor: t, category: this.categories[counts[t]] });
        }
        return out.sort((a, b) => this.block[b.tensor] - this.block[a.tensor] || a.tensor - b.tensor);
    }

    /** The span of an event. */
    span(event) {
        return this.spans.find((span) => event < span.to) ?? this.spans[this.spans.length - 1];
    }

    word(column, t) {
        return this.raw.words[this.raw.tensors[column][t]];
    }

    /** {module, operator, node} of what ran. */
    actor(number) {
        const [module, operator, node] = this.raw.actors
            .slice(3 * number, 3 * number + 3)
            .map((w) => this.raw.words[w]);
        return { module, operator, node };
    }

    owner(t) {
        return this.word("owner", t);
    }

    by(t) {
        return this.actor(this.raw.tensors.by[t]);
    }

    /** A tensor's name, or the operator that made it. */
    title(t) {
        const { operator, node } = this.by(t);
        return this.word("name", t) || operator + (node && node !== operator ? ` (${node})` : "");
    }

    shape(t) {
        return `${this.word("dtype", t)} ${this.word("shape", t)}`;
    }

    /** When a tensor comes or goes. */
    when(event) {
        if (event >= this.size)
            return this.prediction.oom === null ? "outlives the run" : "still alive when memory ran out";
        return `${this.span(event).title} (${count(event)})`;
    }

    /** Bytes that the allocator can have, or null. */
    room() {
        const device = this.prediction.device;
        return device === null ? null : device.memory - device.in_use - this.raw.context;
    }
}
