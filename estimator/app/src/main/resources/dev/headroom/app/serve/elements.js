// Elements of the page.

/** The element with an id. */
export const $ = (id) => document.getElementById(id);

/** An element with attributes and children. */
export function html(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key === "style") made.style.cssText = value;
        else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
}
