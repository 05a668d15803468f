// Colours of the map's dots: by group, or by a column of the table, with a legend that says which is which.

import { byId, make, shortened } from "./elements.js";

export const COLOURS = 8;
const OTHERS = "others";

/** Numbers of colours for rows by their value: the commonest values have one each, the rest shares none. */
export function colourings(values) {
  const counts = new Map();
  for (const value of values) if (value !== null && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  const named = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, COLOURS).map(([value]) => value);
  return { names: named, colours: values.map((value) => (named.includes(value) ? named.indexOf(value) : null)), rest: counts.size > named.length };
}

/** Write the legend of colourings; without names there is none. */
export function legend({ names, rest }) {
  byId("map-legend").replaceChildren(...names.map((name, number) =>
    make("li", { class: `colour-${number}` }, make("bdi", { dir: "auto" }, shortened(String(name), 40)))), ...(rest ? [make("li", { class: "colour-none" }, OTHERS)] : []));
}
