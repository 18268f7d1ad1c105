// The shape of the whole run, which the zoom slider lies on. It is the same whatever part of the run shows: it is painted
// once, where the chart library would draw it anew with every step of a zoom.

class Overview {
    /** Behind all that is in the box. */
    constructor(box) {
        this.box = box;
        this.picture = new Picture();
        this.picture.canvas.className = "overview";
        box.insertBefore(this.picture.canvas, box.firstChild);
    }

    /** Paints a run between the edges of the slider, distances from those of the box in pixels of the page. */
    draw(run, { left, right, bottom, height }) {
        const ratio = window.devicePixelRatio;
        const width = Math.max(1, this.box.clientWidth - left - right);
        const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
        const { lefts, picks } = columnsOf(run, 0, run.size, across);
        const most = run.allocated[run.mostAllocated.within(0, run.size)];
        this.picture.clear(across, down, Math.max(1, most));
        this.picture.areas(
            lefts,
            Array.from(picks, (event) => [run.allocated[event]]),
            [colour("quiet")],
        );
        const place = { left: `${left}px`, bottom: `${bottom}px`, width: `${width}px`, height: `${height}px` };
        Object.assign(this.picture.canvas.style, place);
    }
}
