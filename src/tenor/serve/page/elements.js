// Making elements. Strings become text nodes, never markup: whatever a text says, it is only shown.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

export const draw = (tag, attributes = {}) => filled(document.createElementNS(SVG, tag), attributes, []);

/** A text of the reader's, in its own direction, whatever stands around it. */
export const quoted = (text, tag = "bdi") => make(tag, { dir: "auto" }, text);

/** A bar whose filled part is `share` of it, for what is also told in words or figures beside it. */
export function bar(share) {
  const inner = make("span");
  inner.style.inlineSize = `${Math.round(Math.max(0, Math.min(1, share)) * 100)}%`;
  return make("span", { class: "bar", "aria-hidden": "true" }, inner);
}

/** Tell those who do not see the page what has changed. */
export function announce(text) {
  byId("status").textContent = text;
}

export const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** A number with two digits behind the point, without the sign of a zero. */
export const decimals = (number, digits = 2) => number.toFixed(digits).replace(/^-(?=[0.]+$)/, "");

export const percent = (share) => `${Math.round(share * 100)}%`;

/** The first characters of a text, with a mark where more follows. */
export function shortened(text, most) {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : text;
}
