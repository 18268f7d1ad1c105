// Where values are highest, asked of any stretch of them and answered in a few steps.

/** A tree: above every two places stands the one with the higher value. */
class Highest {
    constructor(values) {
        const n = values.length;
        this.values = values;
        this.tree = new Int32Array(2 * n);
        for (let i = 0; i < n; i++) this.tree[n + i] = i;
        for (let i = n - 1; i > 0; i--) this.tree[i] = this.higher(this.tree[2 * i], this.tree[2 * i + 1]);
    }

    higher(a, b) {
        const more = this.values[a] - this.values[b];
        return more > 0 || (more === 0 && a < b) ? a : b;
    }

    /** The first of the highest places from `from` up to, but without, `to`. */
    within(from, to) {
        const n = this.values.length;
        let best = from;
        for (let a = from + n, b = to + n; a < b; a >>= 1, b >>= 1) {
            if (a & 1) best = this.higher(best, this.tree[a++]);
            if (b & 1) best = this.higher(best, this.tree[--b]);
        }
        return best;
    }
}
