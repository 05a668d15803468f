// Word vectors: the neighbours of a word, sets of words, and analogies.

import * as address from "./address.js";
import { ResultPane } from "./result_pane.js";
import { post } from "./api.js";
import { announce, bar, byId, counted, make } from "./elements.js";
import { WORDS } from "./samples.js";

const HOW_MANY = 15;
const FIELDS = { neighbours: ["word"], ask: ["set"], analogy: ["from", "to", "of"] };

const region = byId("words-result");
const pane = new ResultPane(region);

/** Take note of the vectors that the server has. */
export function offer(vectors) {
  byId("words-about").textContent = `${counted(vectors.words, "word")} of “${vectors.name}”, each a point in ${vectors.dimensions} dimensions. Words that are used alike are near each other.`;
}

export function start() {
  byId("words-form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  document.querySelectorAll("input[name=ask]").forEach((each) => each.addEventListener("change", () => { choose(each.value); empty(); }));
}

/** Show what an address says: the kind of question, and its words. */
export function show({ ask = "neighbours", w = "", a = "", b = "", c = "" }) {
  const kind = ask in FIELDS ? ask : "neighbours";
  document.querySelector(`input[name=ask][value=${kind}]`).checked = true;
  choose(kind);
  const values = kind === "analogy" ? [a, b, c] : [w];
  byId("best").textContent = "…";
  FIELDS[kind].forEach((id, place) => { byId(id).value = values[place]; });
  if (values.every((value) => value.trim())) find(kind, values);
  else empty();
}

function choose(kind) {
  document.querySelectorAll(".asked").forEach((each) => { each.hidden = each.dataset.ask !== kind; });
  byId("words-examples").replaceChildren(...WORDS[kind].map((example) =>
    make("li", {}, make("button", { class: "example", type: "button", onclick: () => go(kind, kind === "analogy" ? example.split(" ") : [example]) },
      kind === "analogy" ? sentence(example.split(" ")) : example))));
}

const sentence = ([a, b, c]) => `${a} : ${b} = ${c} : ?`;

function empty() {
  pane.stop();
  region.replaceChildren(make("p", { class: "empty" }, "The words that fit best appear here. Any of them can be clicked to go on from there."));
}

function submit() {
  const kind = document.querySelector("input[name=ask]:checked").value;
  const fields = FIELDS[kind].map(byId);
  const missing = fields.find((field) => !field.value.trim());
  if (missing) {
    pane.say(kind === "analogy" ? "An analogy needs three words." : "Write a word.");
    missing.focus();
    return;
  }
  go(kind, fields.map((field) => field.value.trim().toWellFormed()));
}

function go(kind, values) {
  const named = kind === "analogy" ? { a: values[0], b: values[1], c: values[2] } : { w: values[0] };
  address.go("words", { ask: kind, ...named });
}

function find(kind, values) {
  const [a, b, c] = values;
  const body = { neighbours: { word: a }, ask: { query: a }, analogy: { a, b, c } }[kind];
  region.classList.add("stale");
  pane.ask((options) => post(`api/words/${kind}`, { ...body, k: HOW_MANY }, options), ({ words }) => {
    render(words, kind);
    byId("best").textContent = kind === "analogy" && words.length ? words[0].word : "…";
    announce(words.length ? `${counted(words.length, "word")}; first ${words[0].word}.` : "No word fits.");
  }).finally(() => region.classList.remove("stale"));
}

function render(words, kind) {
  // Cosines have a scale of their own; scores of sets have none, and are shown between the worst and the best.
  const scores = words.map((each) => each.score);
  const [most, least] = [Math.max(...scores), Math.min(...scores)];
  const share = (score) => (kind === "ask" ? 0.15 + (0.85 * (score - least)) / Math.max(1e-9, most - least) : score);
  region.replaceChildren(words.length ? make("ol", { class: "near" }, words.map(({ word, score }) => make("li", {},
    make("button", { class: "pick", type: "button", dir: "auto", title: `Neighbours of ${word}`, onclick: () => go("neighbours", [word]) }, word),
    bar(share(score)),
    make("span", { class: "points" }, score.toFixed(2))))) : make("p", { class: "empty" }, "No word fits."));
}
