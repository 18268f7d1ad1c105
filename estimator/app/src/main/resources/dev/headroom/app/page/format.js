// Numbers and names for people.

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** `97.66 MiB` or `18.32 GiB`, as PyTorch's messages write sizes. */
function size(bytes) {
    if (bytes !== 0 && Math.abs(bytes) < MIB / 100) return `${count(bytes)} B`;
    return Math.abs(bytes) < GIB ? `${(bytes / MIB).toFixed(2)} MiB` : `${(bytes / GIB).toFixed(2)} GiB`;
}

/** MiB without the unit, for tables. */
const mib = (bytes) => (bytes / MIB).toFixed(1);

const NUMBERS = new Intl.NumberFormat("en");

/** `12,345`. */
const count = (n) => NUMBERS.format(n);

/** `1 gap`, `2 gaps`. */
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "");

const TITLES = {
    optimizer_state: "optimizer state",
    saved_activations: "saved activations",
    cached_free: "cached, free",
    context: "CUDA's context",
    in_use: "taken by others",
};

/** The name of a category in words. */
const words = (key) => TITLES[key] ?? key.replaceAll("_", " ");
