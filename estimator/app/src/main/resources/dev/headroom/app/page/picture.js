// The stack over the events, and the line of reserved memory. They have a point for each pixel, more than the library
// goes through in the time of a frame: they are painted here, and the library gets an image.

class Picture {
    constructor() {
        this.canvas = el("canvas");
        this.pen = this.canvas.getContext("2d");
    }

    /** Begins anew with so many pixels, which are `bytes` high. */
    clear(width, height, bytes) {
        // Assigned sizes clear a canvas, too.
        Object.assign(this.canvas, { width, height });
        this.y = (value) => height * (1 - value / bytes);
    }

    /** A stretch from top to bottom, filled or with an edge around it. */
    band(left, right, fillStyle, strokeStyle, lineWidth) {
        const { height } = this.canvas;
        Object.assign(this.pen, { lineWidth });
        this.pen.setLineDash([]);
        if (fillStyle) {
            this.pen.fillStyle = fillStyle;
            this.pen.fillRect(left, 0, right - left, height);
        }
        if (strokeStyle) {
            this.pen.strokeStyle = strokeStyle;
            this.pen.strokeRect(left, 0, right - left, height);
        }
    }

    /** Areas one behind the other, the sum of all at the back; `stacks` has, by column, the bytes of each. */
    areas(lefts, stacks, colours) {
        const { width, height } = this.canvas;
        const sums = stacks.map((stack) => {
            let sum = 0;
            return stack.map((bytes) => (sum += bytes));
        });
        for (let g = colours.length - 1; g >= 0; g--) {
            this.steps(lefts, (c) => sums[c][g]);
            this.pen.lineTo(width, height);
            this.pen.lineTo(0, height);
            this.pen.fillStyle = colours[g];
            this.pen.fill();
        }
    }

    /** A line through values by column, which hold until the next column. */
    line(lefts, values, strokeStyle, lineWidth, dash) {
        this.steps(lefts, (c) => values[c]);
        Object.assign(this.pen, { strokeStyle, lineWidth });
        this.pen.setLineDash(dash);
        this.pen.stroke();
    }

    steps(lefts, value) {
        this.pen.beginPath();
        let y = this.y(value(0));
        this.pen.moveTo(0, y);
        for (let c = 1; c < lefts.length; c++) {
            const next = this.y(value(c));
            if (next === y) continue;
            this.pen.lineTo(lefts[c], y);
            this.pen.lineTo(lefts[c], next);
            y = next;
        }
        this.pen.lineTo(this.canvas.width, y);
    }
}
