// The answer: verdict, capacity, figures, notes and advice.

import { $, html } from "./elements.js";
import { ORDER, bytes, sentence, words } from "./words.js";

/** The verdict in one line, where the screen has no room for controls and answer at once. */
function glance(line, tone) {
    $("glance").replaceChildren(html("span", { class: tone }, line));
}

export function refuse(line) {
    glance(sentence(line), "bad");
    $("verdict").replaceChildren(html("p", { class: "verdict bad" }, html("span", { class: "sign", "aria-hidden": "true" }, "!"), html("span", {}, sentence(line))));
}

export function answer({ prediction, verdict }) {
    const { fits } = prediction.verdict;
    const tone = fits === null ? "" : fits ? "good" : "bad";
    const sign = fits === null ? "=" : fits ? "✓" : "✕";
    $("verdict").replaceChildren(
        html("p", { class: `verdict ${tone}` }, html("span", { class: "sign", "aria-hidden": "true" }, sign), html("span", {}, verdict[0])),
        ...verdict.slice(1).map((line) => html("p", { class: "quiet" }, sentence(line))),
    );
    glance(verdict[0], tone);
    capacity(prediction);
    figures(prediction);
    const lines = [
        ...prediction.warnings,
        ...prediction.unmodelled.map((u) => `${u.operator} has no rule and counts for nothing (${u.count} calls)`),
    ];
    $("notes").replaceChildren(...lines.map((line) => html("p", { class: "note" }, sentence(line))));
    const rows = [...ORDER, "rounding", "cached_free"].filter((key) => prediction.at_peak[key] > 0);
    $("parts").querySelector("div").replaceChildren(
        html("table", {}, html("caption", {}, "What allocated and cached memory is made of at the peak"),
            html("tbody", {}, ...rows.map((key) => html("tr", {}, html("th", { scope: "row" }, words(key)), html("td", { class: "n" }, bytes(prediction.at_peak[key])))))),
    );
}

function capacity(p) {
    const total = p.device?.memory ?? p.peak.device;
    const parts = [...ORDER, "rounding", "cached_free"].map((key) => [key, p.at_peak[key]]);
    parts.push(["context", p.peak.device - p.peak.reserved], ["in_use", p.device?.in_use ?? 0]);
    const sum = parts.reduce((all, [, b]) => all + b, 0);
    const scale = Math.max(total, sum);
    const shown = parts.filter(([, b]) => b > scale * 0.002);
    const label = `${bytes(sum)} of ${bytes(total)}: ${shown.map(([key, b]) => `${words(key)} ${bytes(b)}`).join(", ")}`;
    const bar = html("div", { class: "bar", role: "img", "aria-label": label });
    for (const [key, b] of shown) {
        bar.append(html("i", { style: `width: ${(b / scale) * 100}%; background: var(--c-${key})`, title: `${words(key)}: ${bytes(b)}` }));
    }
    if (sum > total) bar.append(html("span", { class: "mark", style: `left: ${(total / scale) * 100}%` }));
    const legend = html("ul", { class: "legend" }, ...shown.map(([key, b]) => html("li", {}, html("span", { class: "swatch", style: `background: var(--c-${key})` }), `${words(key)} ${bytes(b, 3)}`)));
    $("capacity").replaceChildren(bar, legend);
}

function figures(p) {
    const risk = p.verdict.probability_oom;
    const rows = [
        ["Device memory at the peak", bytes(p.peak.device), p.interval ? `${bytes(p.interval.low, 3)} to ${bytes(p.interval.high, 3)} in nine of ten runs` : ""],
        ["Tensors at the peak", bytes(p.peak.allocated), `${bytes(p.peak.reserved)} reserved`],
        ["Least memory it gets through in", p.verdict.minimum_memory === null ? "–" : bytes(p.verdict.minimum_memory), ""],
        ["Risk of running out", risk === null ? "–" : risk < 0.01 ? "under 1 %" : risk > 0.99 ? "over 99 %" : `${Math.round(risk * 100)} %`, risk === null ? "name a card to know it" : ""],
    ];
    $("figures").replaceChildren(
        ...rows.map(([name, value, about]) => html("div", {}, html("dt", {}, name), html("dd", {}, html("span", { class: "value" }, value), html("span", { class: "about" }, about)))),
    );
}

/** @param apply takes the words of the command line of a plan */
export function advice(said, apply) {
    const rows = [];
    for (const plan of said.plans.slice(0, 6)) {
        const at = plan.arguments.indexOf("--batch");
        const batch = at >= 0 && plan.arguments[at + 1] !== String(said.asked.scenario.batch) ? `batch ${plan.arguments[at + 1]}` : "";
        const changes = plan.changes.map((c) => c.title).join(", ");
        const title = [batch, changes].filter(Boolean).join(": ") || "as it is";
        const about = [`${bytes(plan.peak.device)} at the peak`, ...plan.price.effects];
        if (plan.price.recomputed_share > 0) about.push(`${Math.round(plan.price.recomputed_share * 100)} % more computing`);
        rows.push(row(sentence(title), about.join("; "), plan.arguments, apply));
    }
    for (const largest of said.largest) {
        if (largest.value) rows.push(html("div", { class: "plan" }, html("p", {}, html("strong", {}, `Largest ${largest.name}: ${largest.value}`)), html("p", { class: "effects" }, largest.safe ? `${largest.safe} with under ${Math.round(largest.safe_risk * 100)} % risk` : "")));
    }
    if (said.shortfall) rows.push(html("p", { class: "note" }, `Nothing that Headroom knows makes it fit: ${bytes(said.shortfall.missing)} are missing with everything done.`));
    said.notes.forEach((note) => rows.push(html("p", { class: "note" }, sentence(note))));
    if (!rows.length) rows.push(html("p", { class: "quiet" }, "Nothing needs to change."));
    $("plans").replaceChildren(...rows);
}

/** @param apply takes the words of the command line of a strategy */
export function strategies(said, apply) {
    const played = said.strategies.filter((s) => s.peak);
    const fit = played.filter((s) => s.fits);
    const shown = (fit.length ? fit : played).slice(0, 6);
    const rows = shown.map((s) => row(s.name, `${bytes(s.peak.device)} on a GPU; ${bytes(s.communicated)} sent a step`, s.arguments, apply));
    const line = fit.length ? `Strategies for ${said.gpus} GPUs that fit, by what they send:` : `No strategy fits on ${said.gpus} GPUs. The first:`;
    $("plans").replaceChildren(html("p", { class: "quiet" }, line), ...rows);
}

function row(title, about, words, apply) {
    const button = html("button", { type: "button", "aria-label": `Use: ${title}` }, "Use");
    button.addEventListener("click", () => apply(words));
    return html("div", { class: "plan" }, html("p", {}, html("strong", {}, title)), button, html("p", { class: "effects" }, about));
}
