// The question: controls for the options that are asked for most, and words for all others.

import { $, html } from "./elements.js";

const SIZES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
const LENGTHS = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const SLIDES = {
    batch: { label: "Batch", values: SIZES, hint: "samples" },
    seq: { label: "Sequence", values: LENGTHS, hint: "tokens" },
    checkpoint: { label: "Checkpointed segments", values: [0, 1, 2, 4, 6, 8, 12, 16, 24, 32], hint: "0: keep all activations" },
    world: { label: "GPUs", values: [1, 2, 4, 8, 16, 32, 64], hint: "1: no parallelism" },
};
/** What stands for an option left out. */
const NONE = { checkpoint: "0", world: "1" };

export class Controls {
    constructor(changed) {
        this.changed = changed;
        this.slides = {};
        document.querySelectorAll(".slide").forEach((place) => this.slide(place));
        for (const id of ["model", "gpu", "parallel", "precision", "optimizer", "lora", "quant"]) {
            $(id).addEventListener("change", changed);
        }
        $("extra").addEventListener("change", changed);
        $("question").addEventListener("submit", (e) => e.preventDefault());
    }

    slide(place) {
        const option = place.dataset.option;
        const { label, values, hint } = SLIDES[option];
        const range = html("input", { type: "range", id: `${option}-range`, min: 0, max: values.length - 1, step: 1, "aria-label": `${label}, ${hint}` });
        const number = html("input", { type: "number", id: option, min: values[0], step: 1, inputmode: "numeric" });
        place.append(html("label", { for: option }, label), html("div", { class: "line" }, range, number));
        this.slides[option] = { place, range, number, values };
        range.addEventListener("input", () => {
            number.value = values[range.value];
            range.setAttribute("aria-valuetext", number.value);
            this.changed();
        });
        number.addEventListener("input", () => {
            if (number.validity.valid && number.value !== "") {
                this.follow(option);
                this.changed();
            }
        });
    }

    /** The slider goes to the value nearest to the number. */
    follow(option) {
        const { range, number, values } = this.slides[option];
        const value = Number(number.value);
        range.value = values.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(values[best] - value) ? i : best), 0);
        range.setAttribute("aria-valuetext", number.value);
    }

    /** Lists what there is. */
    offer(models, cards) {
        const of = (kind) => models.filter((m) => m.kind === kind).map((m) => html("option", { value: m.name }, m.parameters ? `${m.name} · ${(m.parameters / 1e9).toPrecision(2)} B` : m.name));
        const archives = of("archive");
        const configs = of("config");
        this.kinds = new Map(models.map((m) => [m.name, m.kind]));
        $("model").replaceChildren(
            ...(archives.length ? [html("optgroup", { label: "Archives" }, ...archives)] : []),
            html("optgroup", { label: "Language models" }, ...configs),
        );
        $("gpu").replaceChildren(html("option", { value: "" }, "none: how much does it need?"), ...cards.map((c) => html("option", { value: c.name }, `${c.title.replace(/^(NVIDIA|Tesla) (GeForce )?/, "")} · ${Math.round(c.memory / 2 ** 30)} GiB`)));
    }

    /** A model that was sent. */
    add(name, kind, title) {
        this.kinds.set(name, kind);
        const known = [...$("model").options].find((o) => o.value === name);
        if (!known) $("model").prepend(html("option", { value: name }, title));
        $("model").value = name;
    }

    /** The question as a model and options. */
    read() {
        const model = $("model").value;
        const config = this.kinds.get(model) === "config";
        this.slides.seq.place.hidden = !config;
        const options = {};
        for (const [option, { number }] of Object.entries(this.slides)) {
            const skipped = option === "seq" && !config;
            if (!skipped && number.value !== "" && number.value !== NONE[option]) options[option] = number.value;
        }
        for (const id of ["gpu", "optimizer", "lora", "quant"]) if ($(id).value) options[id] = $(id).value;
        const [key, value] = $("precision").value.split("=");
        if (key) options[key] = value;
        $("parallel-row").hidden = !options.world;
        if (options.world) options.parallel = $("parallel").value;
        $("quant-row").hidden = !options.lora;
        if (!options.lora) delete options.quant;
        return { model, options: { ...options, ...optionsOf($("extra").value) } };
    }

    /** Puts a question into the controls; what has none goes to the further options. */
    write(model, options) {
        if (model && ![...$("model").options].some((o) => o.value === model)) this.add(model, model.startsWith("upload-") ? "archive" : "config", model);
        if (model) $("model").value = model;
        const rest = { ...options };
        const take = (key) => {
            const value = rest[key];
            delete rest[key];
            return Array.isArray(value) ? value[0] : value;
        };
        for (const option of Object.keys(this.slides)) {
            this.slides[option].number.value = take(option) ?? NONE[option] ?? "";
            this.follow(option);
        }
        for (const id of ["gpu", "optimizer", "lora", "quant", "parallel"]) this.choose(id, take(id), rest);
        const precision = ["dtype", "amp"].filter((key) => rest[key]).map((key) => `${key}=${rest[key]}`);
        if (precision.length < 2 && [...$("precision").options].some((o) => o.value === (precision[0] ?? ""))) {
            $("precision").value = precision[0] ?? "";
            delete rest.dtype;
            delete rest.amp;
        } else {
            $("precision").value = "";
        }
        $("extra").value = wordsOf(rest).join(" ");
        if ($("extra").value) $("more").open = true;
    }

    choose(id, value, rest) {
        const known = [...$(id).options].some((o) => o.value === (value ?? ""));
        if (value && !known) rest[id] = value;
        else if (value || id !== "parallel") $(id).value = value ?? "";
    }
}

/** Options whose value may be the word true or false; for others it sets a flag. */
const SAY_TRUE = new Set(["foreach", "limit-all-gathers", "overlap-comm", "reentrant", "reshard-after-forward"]);

/** Options as words of the command line. */
export function wordsOf(options) {
    return Object.entries(options).flatMap(([key, value]) =>
        [value].flat().flatMap((v) => (SAY_TRUE.has(key) ? [`--${key}`, v] : v === "false" ? [] : v === "true" ? [`--${key}`] : [`--${key}`, /[^\w.,:/=+-]/.test(v) ? `'${v}'` : v])));
}

/** Words of the command line as options. */
export function optionsOf(text) {
    const words = Array.isArray(text) ? text : [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]);
    const options = {};
    for (let i = 0; i < words.length; i++) {
        if (!words[i].startsWith("--")) continue;
        const [key, inline] = words[i].slice(2).split(/=(.*)/s);
        const next = words[i + 1];
        const value = inline ?? (next !== undefined && !next.startsWith("--") ? words[++i] : "true");
        options[key] = key in options ? [options[key], value].flat() : value;
    }
    return options;
}

