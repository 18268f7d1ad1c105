// What the bytes of a moment are stacked by.

/** The order from the bottom of the stack: what stays, then what comes and goes. */
const STACK = [
    "parameters",
    "buffers",
    "optimizer_state",
    "gradients",
    "inputs",
    "outputs",
    "saved_activations",
    "temporaries",
    "workspaces",
    "rounding",
];

const MOST_GROUPS = 16;
const RAMP = ["#4e79a7", "#5fa2b0", "#66a87a", "#a9b457", "#e0bd55", "#e39a55", "#d97a6c", "#b278a2", "#8479b0"];

/** By category, with rounding apart, as the prediction counts them. */
function byCategory(run) {
    const index = run.categories.map((key) => STACK.indexOf(key));
    const rounding = STACK.indexOf("rounding");
    return {
        titles: STACK.map(words),
        colours: STACK.map((key) => `c-${key}`),
        /** Adds a tensor's bytes, or takes them away. */
        add(totals, t, category, sign) {
            totals[index[category]] += sign * run.requested[t];
            totals[rounding] += sign * (run.block[t] - run.requested[t]);
        },
    };
}

/** A module and those inside it, in order of birth of their first tensor, with the bytes they hold at the peak. */
function moduleTree(run) {
    const root = { path: "", children: new Map(), bytes: 0 };
    const counts = run.countsAfter(run.peak);
    for (let t = 0; t < run.block.length; t++) {
        const bytes = counts[t] >= 0 ? run.block[t] : 0;
        let at = root;
        at.bytes += bytes;
        for (const name of run.owner(t) ? run.owner(t).split(".") : []) {
            if (!at.children.has(name)) {
                at.children.set(name, { path: at.path ? `${at.path}.${name}` : name, children: new Map(), bytes: 0 });
            }
            at = at.children.get(name);
            at.bytes += bytes;
        }
    }
    return root;
}

/** Paths of modules that share a run out: the largest are opened as long as there are not too many. */
function modulePaths(run) {
    let open = [moduleTree(run)];
    for (;;) {
        const fits = (node) =>
            node.children.size > 0 && open.length - 1 + Math.min(node.children.size, 8) <= MOST_GROUPS;
        const largest = open.filter((node) => node.bytes > 0 && fits(node)).sort((a, b) => b.bytes - a.bytes)[0];
        if (!largest) return open;
        open = open.flatMap((node) =>
            node === largest ? inRanges([...node.children.values()], MOST_GROUPS - open.length + 1) : [node],
        );
    }
}

/** Modules one by one, or neighbours together when there are too many. */
function inRanges(nodes, most) {
    if (nodes.length <= most) return nodes;
    const each = Math.ceil(nodes.length / most);
    const ranges = [];
    for (let i = 0; i < nodes.length; i += each) {
        const part = nodes.slice(i, i + each);
        const last = part[part.length - 1].path;
        const name = part.length > 1 ? `${part[0].path} to ${last.slice(last.lastIndexOf(".") + 1)}` : last;
        const bytes = part.reduce((sum, node) => sum + node.bytes, 0);
        ranges.push({ path: name, members: part.map((node) => node.path), children: new Map(), bytes });
    }
    return ranges;
}

/** By module, in the order in which they come to life; what belongs to none comes last. */
function byModule(run) {
    const open = modulePaths(run).filter((node) => node.path !== "");
    const group = new Map(open.flatMap((node, i) => (node.members ?? [node.path]).map((path) => [path, i])));
    const known = new Map();
    const find = (owner) => {
        for (let path = owner; path; path = path.slice(0, Math.max(0, path.lastIndexOf(".")))) {
            if (group.has(path)) return group.get(path);
        }
        return open.length;
    };
    const of = Int32Array.from(run.raw.tensors.owner, (word) => {
        if (!known.has(word)) known.set(word, find(run.raw.words[word]));
        return known.get(word);
    });
    return {
        titles: [...open.map((node) => node.path), "outside of these"],
        colours: [...open.map((node, i) => ramp(open.length > 1 ? i / (open.length - 1) : 0)), "c-rounding"],
        add(totals, t, category, sign) {
            totals[of[t]] += sign * run.block[t];
        },
    };
}

/** A colour between early and late. */
function ramp(at) {
    const place = at * (RAMP.length - 1);
    const low = Math.min(Math.floor(place), RAMP.length - 2);
    const part = (i) => (channel) => parseInt(RAMP[i].slice(channel, channel + 2), 16);
    const mix = [1, 3, 5].map((c) => Math.round(part(low)(c) + (part(low + 1)(c) - part(low)(c)) * (place - low)));
    return `rgb(${mix.join(", ")})`;
}

/** A group's colour, by name in the style sheet or as it is. */
const paint = (name) => (name.startsWith("c-") ? colour(name) : name);
