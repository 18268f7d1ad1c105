// The cursor: a moment of the run, moved by pointer, touch or keys.

class Cursor {
    constructor(view, onmove) {
        Object.assign(this, { view, onmove, event: 0, held: false });
        this.box = $("timeline-chart");
        this.line = this.box.appendChild(el("div", { class: "cursor" }));
        this.tell = perFrame(() => onmove(this.event));
        this.box.addEventListener("pointermove", (e) => this.pointed(e));
        this.box.addEventListener("pointerdown", (e) => this.pressed(e));
        this.box.addEventListener("pointerup", (e) => this.released(e));
        this.box.addEventListener("keydown", (e) => this.key(e));
        view.ondraw = () => this.draw();
    }

    x(e) {
        return e.clientX - this.box.getBoundingClientRect().left;
    }

    inPlot(e) {
        const y = e.clientY - this.box.getBoundingClientRect().top;
        const x = this.x(e);
        return (
            y < this.box.clientHeight - EDGE.bottom + 8 && x >= EDGE.left - 8 && x <= EDGE.left + this.view.width + 8
        );
    }

    pointed(e) {
        const dragging = e.pointerType === "touch" || e.buttons === 1;
        if (this.inPlot(e) && (!this.held || dragging)) this.moveTo(this.view.eventAt(this.x(e)));
    }

    pressed(e) {
        if (e.isPrimary) this.start = this.x(e);
        this.pinching = !e.isPrimary;
    }

    /** A click holds the cursor or lets it go; what was dragged there, or touched, stays. */
    released(e) {
        if (!e.isPrimary || this.pinching || e.button !== 0 || !this.inPlot(e)) return;
        const dragged = Math.abs(this.x(e) - this.start) > 4;
        this.hold(dragged || e.pointerType === "touch" || !this.held);
        this.moveTo(this.view.eventAt(this.x(e)));
    }

    hold(held) {
        this.held = held;
        this.draw();
        this.tell();
    }

    moveTo(event) {
        this.event = Math.max(0, Math.min(this.view.run.size - 1, event));
        const { from, to } = this.view;
        if (this.event < from || this.event >= to) {
            const half = (to - from) / 2;
            this.view.zoom(this.event - half, this.event + half);
        }
        this.draw();
        this.tell();
    }

    draw() {
        const x = this.view.xOf(this.event + 0.5);
        this.line.style.transform = `translateX(${x}px)`;
        this.line.style.top = `${EDGE.top}px`;
        this.line.style.bottom = `${EDGE.bottom}px`;
        this.line.classList.toggle("held", this.held);
        this.line.hidden = this.event < this.view.from || this.event >= this.view.to;
    }

    /** The first event of the phase before or after the cursor's. */
    phase(direction) {
        const spans = this.view.run.spans.filter((span) => span.to > span.from);
        const at = spans.findIndex((span) => this.event < span.to);
        const begun = this.event > spans[at].from;
        const next = direction < 0 && begun ? at : at + direction;
        return spans[Math.max(0, Math.min(spans.length - 1, next))].from;
    }

    key(e) {
        if (e.ctrlKey || e.metaKey || e.altKey) return;
        const { view } = this;
        const step = e.shiftKey ? 1 : Math.max(1, Math.round((view.to - view.from) / 200));
        const keys = {
            ArrowLeft: () => this.moveTo(this.event - step),
            ArrowDown: () => this.moveTo(this.event - step),
            ArrowRight: () => this.moveTo(this.event + step),
            ArrowUp: () => this.moveTo(this.event + step),
            PageUp: () => this.moveTo(this.phase(-1)),
            PageDown: () => this.moveTo(this.phase(1)),
            Home: () => this.moveTo(0),
            End: () => this.moveTo(view.run.size - 1),
            p: () => this.moveTo(view.run.peak),
            P: () => this.moveTo(view.run.peak),
            "+": () => view.zoomBy(0.5, this.event),
            "=": () => view.zoomBy(0.5, this.event), // The key of + without Shift.
            "-": () => view.zoomBy(2, this.event),
            0: () => view.zoom(0, view.run.size),
            Enter: () => this.hold(!this.held),
            " ": () => this.hold(!this.held),
            Escape: () => this.hold(false),
        };
        if (!keys[e.key]) return;
        e.preventDefault();
        if (/^(Arrow|Page|Home|End|[pP])/.test(e.key)) this.held = true;
        keys[e.key]();
    }
}
