// Asks while the reader moves sliders: the last question wins, and the address says it.

import { Chart } from "./chart.js";
import { Controls, optionsOf, wordsOf } from "./controls.js";
import { $, html } from "./elements.js";
import { advice, answer, refuse, strategies } from "./result.js";

const DEFAULTS = { batch: "8", seq: "1024", gpu: "rtx-4090" };
const TOKEN = "headroom-token";
/** By which the service knows that a question takes the place of the one before. */
const PAGE = crypto.getRandomValues(new Uint32Array(4)).join("-");

let chart;
let controls;
let asked = new AbortController();
let waiting;

const remembered = (key) => {
    try {
        return localStorage.getItem(key) ?? "";
    } catch {
        return ""; // a browser may forbid it
    }
};

function remember(key, value) {
    try {
        localStorage.setItem(key, value);
    } catch {
        // As above.
    }
}

async function call(path, init = {}) {
    const token = remembered(TOKEN);
    const headers = { "Headroom-Page": PAGE, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const response = await fetch(path, { ...init, headers: { ...headers, ...init.headers } });
    if (response.status === 401) {
        const given = prompt("This service wants its token");
        if (given) {
            remember(TOKEN, given.trim());
            return call(path, init);
        }
    }
    const said = await response.json();
    if (!response.ok) throw new Error(said.error ?? `the service answered ${response.status}`);
    return said;
}

const post = (path, question, signal) => call(path, { method: "POST", body: JSON.stringify(question), signal });

function changed() {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 20);
}

async function ask() {
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    const question = controls.read();
    history.replaceState(null, "", `#${new URLSearchParams([["model", question.model], ...Object.entries(question.options).flatMap(([k, v]) => [v].flat().map((one) => [k, one]))])}`);
    $("command").textContent = ["headroom predict", question.model, ...wordsOf(question.options)].join(" ");
    $("result").setAttribute("aria-busy", "true");
    try {
        const said = await post("v1/overview", question, signal);
        answer(said);
        const { device } = said.prediction;
        const context = said.prediction.peak.device - said.prediction.peak.reserved;
        chart.show(said.timeline, device ? (device.limit ?? device.memory - device.in_use - context) : null);
        done();
        await advise(question, said.prediction, signal);
    } catch (e) {
        if (e.name === "AbortError") return;
        refuse(e.message);
        $("plans").replaceChildren();
        $("advice").setAttribute("aria-busy", "false"); // it was about the question before
        done();
    }
}

function done() {
    $("result").setAttribute("aria-busy", "false");
    document.documentElement.dataset.ready = "true";
}

async function advise(question, prediction, signal) {
    const alone = (why) => $("plans").replaceChildren(html("p", { class: "quiet" }, why));
    if (!prediction.device) return alone("Choose a card to be told what to change.");
    $("advice").setAttribute("aria-busy", "true");
    if (!$("plans").children.length) alone("Plans are being tried …");
    const apply = (words) => {
        controls.write(question.model, { ...optionsOf(words), gpu: question.options.gpu });
        ask();
        $("result").focus();
    };
    const { parallel, ...options } = question.options;
    try {
        if (parallel) strategies(await post("v1/strategies", { ...question, options }, signal), apply);
        else advice(await post("v1/advise", question, signal), apply);
    } catch (e) {
        if (e.name === "AbortError") return;
        alone(e.message);
    } finally {
        if (!signal.aborted) $("advice").setAttribute("aria-busy", "false");
    }
}

async function take(file) {
    if (!file) return;
    const state = $("file-state");
    state.classList.remove("bad");
    state.textContent = `Reading ${file.name} …`;
    try {
        const kept = await call("v1/models", { method: "POST", body: file });
        controls.add(kept.name, kept.kind, file.name);
        state.textContent = `${file.name} is loaded.`;
        if (kept.kind === "archive" && kept.sizes.length > 1) {
            state.textContent += ` Its sizes ${kept.sizes.join(", ")} are open: bind them with --dim NAME=N below.`;
        }
        ask();
    } catch (e) {
        state.classList.add("bad");
        state.textContent = e.message;
    }
}

function startDrop() {
    const drop = $("drop");
    for (const name of ["dragover", "dragenter"]) {
        addEventListener(name, (e) => {
            e.preventDefault();
            drop.classList.add("over");
        });
    }
    addEventListener("dragleave", () => drop.classList.remove("over"));
    addEventListener("drop", (e) => {
        e.preventDefault();
        drop.classList.remove("over");
        take(e.dataTransfer.files[0]);
    });
    $("file").addEventListener("change", () => take($("file").files[0]));
}

function startTheme() {
    const set = (theme) => {
        if (theme) document.documentElement.dataset.theme = theme;
        else delete document.documentElement.dataset.theme;
    };
    $("theme").value = remembered("headroom-theme");
    set($("theme").value);
    $("theme").addEventListener("change", () => {
        set($("theme").value);
        remember("headroom-theme", $("theme").value);
    });
}

/** What the address asks for. */
function fromAddress() {
    const options = {};
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
        options[key] = key in options ? [options[key], value].flat() : value;
    }
    const { model, ...rest } = options;
    if (model) controls.write(model, rest);
    else controls.write($("model").value, DEFAULTS);
}

async function start() {
    startTheme();
    startDrop();
    controls = new Controls(changed);
    for (const link of document.querySelectorAll("a[href='#result']")) {
        link.addEventListener("click", (e) => {
            e.preventDefault(); // the address says the question
            $("result").focus();
            $("result").scrollIntoView();
        });
    }
    chart = new Chart($("chart"), $("moment"), $("legend"));
    $("share").addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(location.href);
            $("shared").textContent = "Copied.";
        } catch {
            $("shared").textContent = location.href;
        }
    });
    try {
        const [models, cards] = await Promise.all([call("v1/models"), call("v1/devices")]);
        controls.offer(models.models, cards);
        fromAddress();
        addEventListener("hashchange", () => {
            fromAddress();
            ask();
        });
        await ask();
    } catch (e) {
        refuse(e.message);
        done();
    }
}

start();
