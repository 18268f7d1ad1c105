// The shape of the whole run, which the zoom slider lies on. It is the same whatever part of the run shows: it is painted
// once, where the chart library would draw it anew with every step of a zoom.

class Overview {
    /** Behind all that is in the box. */
    constructor(box) {
        this.box = box;
        this.picture = new Picture();
        box.insertBefore(this.picture.canvas, box.firstChild);
    }

    /** Paints a run between the edges of the slider, distances from those of the box in pixels of the page. */
    draw(run, { left, right, bottom, height }) {
        const ratio = window.devicePixelRatio;
        const width = Math.max(1, this.box.clientWidth - left - right);
        const { lefts, picks } = columnsOf(run, 0, run.size, Math.round(width * ratio));
        const bytes = picks.length ? run.allocated[run.mostAllocated.within(0, run.size)] : 0;
        this.picture.clear(Math.round(width * ratio), Math.round(height * ratio), Math.max(1, bytes));
        this.picture.areas(
            lefts,
            Array.from(picks, (event) => [run.allocated[event]]),
            [colour("quiet")],
        );
        const place = { left: `${left}px`, bottom: `${bottom}px`, width: `${width}px`, height: `${height}px` };
        Object.assign(this.picture.canvas.style, place);
        this.picture.canvas.className = "overview";
    }
}
