// What a model with a classifier of phrases says of each matched pair: paraphrase, related or unrelated. It is
// told by a letter, a share and a style of line beside the colour, so that it can be read without colours.

import { make, percent } from "./elements.js";

const KNOWN = {
  paraphrase: { letter: "P", about: "paraphrase: they say the same" },
  related: { letter: "R", about: "related: the same matter, another thing said" },
  unrelated: { letter: "U", about: "unrelated" },
  unjudged: { letter: "?", about: "too far into the texts to be judged" },
};

/** Whether the phrases were judged at all; a model without the classifier says nothing of any. */
export const areJudged = (phrases) => phrases.some((pair) => typeof pair.relation === "string");

/** The name of a pair's class, among judged ones. */
export const relationOf = ({ relation }) => (typeof relation === "string" && Object.hasOwn(KNOWN, relation) ? relation : "unjudged");

/** What stands beside a phrase, as short as can be: "P 93%". */
export function tagOf(pair) {
  const { letter } = KNOWN[relationOf(pair)];
  return typeof pair.probability === "number" ? `${letter} ${percent(pair.probability)}` : letter;
}

/** The same in words. */
export function told(pair) {
  const name = relationOf(pair);
  return name === "unjudged" ? KNOWN.unjudged.about : `${name} (${percent(pair.probability)})`;
}

/** The entries of the legend for the classes that occur. */
export function legendOf(phrases) {
  const found = new Set(phrases.map(relationOf));
  return Object.entries(KNOWN).filter(([name]) => found.has(name)).map(([name, { letter, about }]) =>
    make("li", { class: name }, make("b", {}, letter), ` ${about}`));
}
