// How memory and its parts are called.

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** From the bottom of the stack to its top: what lives longest is lowest. */
export const ORDER = [
    "parameters", "buffers", "optimizer_state", "inputs", "workspaces", "gradients", "outputs", "saved_activations", "temporaries",
];

/** A name for people. */
export const words = (key) => key.replaceAll("_", " ");

/** Bytes for people. */
export function bytes(b, digits = 4) {
    const big = Math.abs(b) >= GIB;
    const value = b / (big ? GIB : MIB);
    return `${Number(value.toPrecision(digits))} ${big ? "GiB" : "MiB"}`;
}

/** A line with a capital letter. */
export const sentence = (line) => line.charAt(0).toUpperCase() + line.slice(1);
