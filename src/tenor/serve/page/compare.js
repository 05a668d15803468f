// Two texts: how close they are, how each sounds, and which of their phrases say the same.

import * as address from "./address.js";
import { Answer } from "./answer.js";
import { post } from "./api.js";
import { announce, bar, byId, make, percent, quoted, shortened } from "./elements.js";
import { Matching } from "./matching.js";
import { PAIRS } from "./samples.js";

const first = byId("first");
const second = byId("second");
const region = byId("compare-result");
const answer = new Answer(region);
let matching = null;
let shown = null; // the texts whose result stands on the page

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
    answer.say("Both boxes need some words before they can be compared.");
    missing.focus();
    return;
  }
  address.go("compare", { a: first.value.toWellFormed(), b: second.value.toWellFormed() });
}

function wipe() {
  answer.stop();
  matching?.close();
  shown = null;
  region.replaceChildren(make("p", { class: "empty" }, "The result appears here: a score from 0 to 5, and lines between the phrases that match."));
}

function compare(a, b) {
  region.classList.add("stale");
  answer.ask((options) => post("api/compare", { first: a, second: b }, options), (found) => {
    render(found);
    announce(`Similarity ${found.similarity.toFixed(1)} of 5: ${found.level}.`);
  }).finally(() => region.classList.remove("stale"));
}

function render(found) {
  matching?.close();
  shown = found;
  const figure = make("div", { class: "figure" });
  region.replaceChildren(
    make("div", { class: "scores" }, similarity(found), paraphrase(found)),
    figure,
    ...notes(found),
    make("details", { class: "table" }, make("summary", {}, "The same as a table"), table(found)),
    make("p", { class: "row" }, make("button", { class: "share quiet", type: "button" }, "Copy link to this comparison")),
  );
  matching = new Matching(figure, found);
}

function similarity({ similarity: value, level, fitted, cosine }) {
  const pin = make("span", { class: "pin" });
  pin.style.insetInlineStart = `${(value / 5) * 100}%`;
  const ticks = [0, 1, 2, 3, 4, 5].map((tick) => make("span", {}, String(tick)));
  return make("div", { class: "score" },
    make("p", { class: "label" }, "Similarity"),
    make("p", { class: "big" }, make("strong", { title: `cosine ${cosine.toFixed(3)}` }, value.toFixed(1)), " of 5"),
    make("div", { class: "scale", "aria-hidden": "true" }, make("div", { class: "track" }, filled(value / 5), pin), make("div", { class: "ticks" }, ticks)),
    make("p", { class: "words" }, level, fitted ? "" : " (a rough scale)"));
}

function filled(share) {
  const inner = make("span");
  inner.style.inlineSize = `${share * 100}%`;
  return inner;
}

function paraphrase({ paraphrase: chance }) {
  if (typeof chance !== "number") return null;
  return make("div", { class: "score" },
    make("p", { class: "label" }, "One could stand for the other"),
    make("p", { class: "big" }, make("strong", {}, percent(chance)), " likely"),
    bar(chance),
    make("p", { class: "words" }, verdict(chance)));
}

function verdict(chance) {
  if (chance >= 0.85) return "a paraphrase";
  if (chance >= 0.5) return "probably a paraphrase";
  if (chance >= 0.15) return "probably not a paraphrase";
  return "not a paraphrase";
}

function notes({ warnings = [] }) {
  // What the command line would do about it does not help here.
  return warnings.map((warning) => make("p", { class: "note" }, warning.replace(/ \(--[^)]*\)/, "")));
}

function table({ phrases, only_first: here, only_second: there }) {
  const cell = (stretch) => make("td", {}, stretch ? quoted(shortened(stretch.text, 300)) : "");
  const rows = [
    ...phrases.map((pair) => [pair.first, pair.same_words ? "same words" : `other words (${pair.score.toFixed(2)})`, pair.second]),
    ...here.map((stretch) => [stretch, "only in the first", null]),
    ...there.map((stretch) => [null, "only in the second", stretch]),
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
