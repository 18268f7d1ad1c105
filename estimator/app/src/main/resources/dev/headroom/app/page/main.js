// Puts the page together.

const started = performance.now();
startTheme();
const runs = JSON.parse($("data").textContent).runs.map((raw) => new Run(raw));
const timeline = new TimelineView();
const moment = new MomentView(timeline);
const icicle = new IcicleView();
const segments = new SegmentsView();
const layers = new LayersView();
let run = runs[0];

const cursor = new Cursor(timeline, (event) => {
    moment.show(run, timeline.grouping, event, cursor.held);
    if (icicleMoment() === "cursor") icicle.show(run, event);
});

const checked = (name) => document.querySelector(`input[name="${name}"]:checked`).value;
const icicleMoment = () => checked("icicle");
const stackBy = () => checked("stack");

function showIcicle() {
    icicle.show(run, icicleMoment() === "peak" ? run.peak : cursor.event);
}

function showPhaseChoice() {
    const options = run.spans
        .map((span, i) => ({ span, i }))
        .filter(({ span }) => span.to > span.from)
        .map(({ span, i }) => el("option", { value: i }, span.title));
    $("phase").replaceChildren(
        el("option", { value: "" }, "the whole run"),
        el("option", { value: "part", hidden: true }, "a part of it"),
        ...options,
    );
}

/** After zooming by hand the choice of phases must not claim anything else. */
timeline.onzoom = () => {
    const at = run.spans.findIndex((span) => span.from === timeline.from && span.to === timeline.to);
    const whole = timeline.from === 0 && timeline.to === run.size;
    $("phase").value = whole ? "" : at >= 0 ? String(at) : "part";
};

/** Links to the sections that this run has. */
function showSections() {
    const sections = document.querySelectorAll("main > section:not([hidden], #answer)");
    const title = ({ id, dataset }) => dataset.title ?? id[0].toUpperCase() + id.slice(1);
    $("sections").replaceChildren(
        ...Array.from(sections, (section) => el("a", { href: `#${section.id}` }, title(section))),
    );
}

/** What stands further down can wait until the top is on the screen. */
function afterPaint(act) {
    requestAnimationFrame(() => setTimeout(act));
}

function showRun(next) {
    run = next;
    showVerdict(run);
    showFindings(run);
    showRanks(run);
    for (const id of ["timeline", "modules", "segments"]) $(id).hidden = run.size === 0;
    showSections();
    showPhaseChoice();
    timeline.show(run, stackBy());
    $("whole-device").hidden = run.size === 0 || !timeline.far;
    if (run.size > 0) {
        cursor.held = false;
        cursor.moveTo(run.peak);
    }
    afterPaint(() => {
        showIcicle();
        segments.show(run);
        layers.show(run);
        showPhases(run);
        document.documentElement.dataset.ready = Math.round(performance.now() - started);
    });
}

/** Why: every question can be opened; the first two are. */
function showFindings(run) {
    const { findings } = run.raw;
    $("explanation").hidden = findings.length === 0;
    $("findings").replaceChildren(
        ...findings.map(({ question, answer }, i) =>
            el(
                "details",
                { open: i < 2 },
                el("summary", {}, question),
                el("ul", {}, ...answer.map((text) => el("li", {}, text))),
            ),
        ),
    );
}

/** Paper cannot be clicked. */
addEventListener("beforeprint", () => {
    document.querySelectorAll("#findings details").forEach((finding) => (finding.open = true));
});

for (const input of document.querySelectorAll('input[name="stack"]')) {
    input.addEventListener("change", () => {
        timeline.show(run, stackBy());
        cursor.tell();
    });
}
for (const input of document.querySelectorAll('input[name="icicle"]')) input.addEventListener("change", showIcicle);
$("whole").addEventListener("change", () => timeline.draw());
$("zoom-in").addEventListener("click", () => timeline.zoomBy(0.5, cursor.event));
$("zoom-out").addEventListener("click", () => timeline.zoomBy(2, cursor.event));
$("to-peak").addEventListener("click", () => {
    cursor.held = true;
    cursor.moveTo(run.peak);
});
$("phase").addEventListener("change", () => {
    const span = run.spans[$("phase").value];
    timeline.zoom(span?.from ?? 0, span?.to ?? run.size);
});

choices(
    $("runs"),
    "run",
    runs.map((other) => other.label),
    0,
    (i) => showRun(runs[i]),
);
if (runs.length > 1) {
    $("comparison").hidden = false;
    afterPaint(() => new ComparisonView(runs).draw());
}
showRun(run);

document.documentElement.dataset.shown = Math.round(performance.now() - started);
