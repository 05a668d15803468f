// Two texts: how close they are, how each sounds, and which of their phrases say the same.

import * as address from "./address.js";
import { post } from "./api.js";
import { announce, byId, decimals, make, percent, quoted, shortened } from "./elements.js";
import { exported } from "./exports.js";
import { Matching } from "./matching.js";
import { areJudged, told } from "./relations.js";
import { ResultPane } from "./result_pane.js";
import { PAIRS } from "./samples.js";

const first = byId("first");
const second = byId("second");
const region = byId("compare-result");
const pane = new ResultPane(region);
let matching = null;

export function start() {
  byId("compare-form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  byId("clear").addEventListener("click", () => { address.go("compare", { empty: "1" }); first.focus(); });
  byId("swap").addEventListener("click", () => {
    [first.value, second.value] = [second.value, first.value];
    if (first.value.trim() && second.value.trim()) submit();
  });
  for (const box of [first, second]) {
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit(); }
    });
    box.addEventListener("input", () => grow(box));
  }
  byId("examples").append(...PAIRS.map(({ name, texts: [a, b] }) =>
    make("li", {}, make("button", { class: "example", type: "button", onclick: () => address.go("compare", { a, b }) }, name))));
  addEventListener("resize", () => [first, second].forEach(grow));
}

/** Show what an address says: its texts, empty boxes, or an example for whoever comes with nothing. */
export function show({ a, b, empty }) {
  const [x, y] = a || b ? [a ?? "", b ?? ""] : empty ? ["", ""] : PAIRS[0].texts;
  [first.value, second.value] = [x, y];
  [first, second].forEach(grow);
  if (x.trim() && y.trim()) compare(x, y);
  else wipe();
}

function submit() {
  const missing = [first, second].find((box) => !box.value.trim());
  if (missing) {
    wipe();
    pane.say("Both boxes need some words before they can be compared.");
    missing.focus();
    return;
  }
  address.go("compare", { a: first.value.toWellFormed(), b: second.value.toWellFormed() });
}

function wipe() {
  pane.stop();
  matching?.close();
  region.replaceChildren(make("p", { class: "empty" }, "The result appears here: a score from 0 to 5, and lines between the phrases that match."));
}

function compare(a, b) {
  region.classList.add("stale");
  pane.ask((options) => post("api/compare", { first: a, second: b }, options), (found) => {
    render(found);
    announce(`${found.verdict.text} Similarity ${found.similarity.toFixed(1)} of 5.`);
  }).finally(() => region.classList.remove("stale"));
}

function render(found) {
  matching?.close();
  const figure = make("div", { class: "figure" });
  region.replaceChildren(
    headline(found.verdict),
    make("div", { class: "scores" }, similarity(found), paraphrase(found)),
    figure,
    ...notes(found),
    make("div", { class: "after" },
      make("details", { class: "table" }, make("summary", {}, "The same as a table"), table(found)),
      make("button", { class: "share quiet", type: "button" }, "Copy link")),
    exported("comparison", { json: () => found, rows: () => rows(found), path: "api/compare", body: { first: found.first, second: found.second } }),
  );
  matching = new Matching(figure, found);
}

/** The one verdict of all scores, and how certain it is. */
function headline({ says, certainty, text }) {
  const sure = { high: "sure", medium: "fairly sure", low: "unsure" }[certainty];
  return make("p", { class: `verdict ${says}` }, make("strong", {}, text), " ", make("span", { class: "sure" }, `The model is ${sure}.`));
}

function similarity({ similarity: value, fitted, cosine }) {
  return make("div", { class: "score" },
    make("p", { class: "label" }, "Similarity"),
    make("p", { class: "big" }, make("strong", { title: `cosine ${decimals(cosine, 3)}` }, value.toFixed(1)), " of 5"),
    scale(value / 5, ["0", "1", "2", "3", "4", "5"]),
    make("p", { class: "words" }, fitted ? "as people would score it" : "a rough scale: five times the cosine"));
}

function scale(share, ticks) {
  const [filled, pin] = [make("span"), make("span", { class: "pin" })];
  filled.style.inlineSize = pin.style.insetInlineStart = `${share * 100}%`;
  return make("div", { class: "scale", "aria-hidden": "true" }, make("div", { class: "track" }, filled, pin),
    make("div", { class: "ticks" }, ticks.map((tick) => make("span", {}, tick))));
}

function paraphrase({ paraphrase: probability }) {
  if (typeof probability !== "number") return null;
  return make("div", { class: "score" },
    make("p", { class: "label" }, "Paraphrase"),
    make("p", { class: "big" }, make("strong", {}, percent(probability)), " likely"),
    scale(probability, ["0%", "50%", "100%"]),
    make("p", { class: "words" }, "by the model's paraphrase classifier"));
}

function notes({ warnings = [] }) {
  // What the command line would do about it does not help here.
  return warnings.map((warning) => make("p", { class: "note" }, warning.replace(/ \(--[^)]*\)/, "")));
}

/** The phrases as rows of a table for other programs. */
function rows({ phrases, only_first: here, only_second: there, similarity: value, verdict: { text } }) {
  return [["first", "match", "cosine", "relation", "second"],
    ["", "similarity", value, text, ""],
    ...phrases.map((pair) => [pair.first.text, pair.same_words ? "same words" : "other words", pair.score, pair.relation ?? "", pair.second.text]),
    ...here.map((span) => [span.text, "only in the first", "", "", ""]),
    ...there.map((span) => ["", "only in the second", "", "", span.text])];
}

function table({ phrases, only_first: here, only_second: there }) {
  const cell = (span) => make("td", {}, span ? quoted(shortened(span.text, 300)) : "");
  const judged = areJudged(phrases);
  const words = (pair) => (pair.same_words ? "same words" : `other words (${decimals(pair.score)})`);
  const rows = [
    ...phrases.map((pair) => [pair.first, judged ? `${told(pair)}, ${words(pair)}` : words(pair), pair.second]),
    ...here.map((span) => [span, "only in the first", null]),
    ...there.map((span) => [null, "only in the second", span]),
  ];
  const head = ["First text", "How they match", "Second text"].map((name) => make("th", { scope: "col" }, name));
  return make("table", {}, make("thead", {}, make("tr", {}, head)),
    make("tbody", {}, rows.map(([left, how, right]) => make("tr", {}, cell(left), make("td", {}, how), cell(right)))));
}

/** Let a box be as high as its text, within reason. */
function grow(box) {
  box.style.blockSize = "auto";
  box.style.blockSize = `${Math.min(box.scrollHeight + 2, 320)}px`;
}
