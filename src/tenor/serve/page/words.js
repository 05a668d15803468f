// Word vectors: the neighbours of a word, sets of words, and analogies.

import * as address from "./address.js";
import { post } from "./api.js";
import { announce, bar, byId, counted, decimals, make } from "./elements.js";
import { exported } from "./exports.js";
import { TextMap } from "./map.js";
import { ResultPane } from "./result_pane.js";
import { WORDS } from "./samples.js";

const HOW_MANY = 15;
const FIELDS = { neighbours: ["word"], ask: ["set"], analogy: ["from", "to", "of"] };

const region = byId("words-result");
const pane = new ResultPane(region);
let examples = WORDS;
let map = null;

/** Take note of the vectors that the server has. */
export function offer(vectors) {
  byId("words-about").textContent = `${counted(vectors.words, "word")} of “${vectors.name}”, each a point in ${vectors.dimensions} dimensions. Words that are used alike are near each other.`;
  examples = known(new Set(vectors.examples), vectors.examples);
}

/** The examples whose words are all in the file; where there are none, some made of words that are. */
function known(has, [first, second, third, ...more]) {
  const kept = Object.fromEntries(Object.entries(WORDS).map(([kind, all]) => [kind, all.filter((each) => each.match(/[\p{L}]+/gu).every((word) => has.has(word)))]));
  if (!kept.neighbours.length) kept.neighbours = [first, second, third, more[0]].filter(Boolean);
  if (!kept.ask.length && second) kept.ask = [`${first} & ${second}`, `${first} - ${second}`];
  if (!kept.analogy.length && third) kept.analogy = [`${first} ${second} ${third}`];
  return kept;
}

export function start() {
  map = new TextMap(byId("words-map"), byId("words-map-tip"), ([row]) => { if (row > 0) go("neighbours", [map.text(row)]); });
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
  byId("words-examples").replaceChildren(...examples[kind].map((example) =>
    make("li", {}, make("button", { class: "example", type: "button", onclick: () => go(kind, kind === "analogy" ? example.split(" ") : [example]) },
      kind === "analogy" ? sentence(example.split(" ")) : example))));
}

const sentence = ([a, b, c]) => `${a} : ${b} = ${c} : ?`;

function empty() {
  pane.stop();
  byId("words-map-side").hidden = true;
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
  const asked = { ...body, k: HOW_MANY };
  pane.ask((options) => post(`api/words/${kind}`, asked, options), (found) => {
    const { words } = found;
    render(words, kind);
    region.append(exported("words", { json: () => found, rows: () => [["word", "score"], ...words.map(({ word, score }) => [word, score])], path: `api/words/${kind}`, body: asked }));
    chart(found, a);
    byId("best").textContent = kind === "analogy" && words.length ? words[0].word : "…";
    announce(words.length ? `${counted(words.length, "word")}; first ${words[0].word}.` : "No word fits.");
  }).finally(() => region.classList.remove("stale"));
}

/** A map of a word among its neighbours. */
function chart({ words, points: places }, word) {
  byId("words-map-side").hidden = !places?.length;
  if (!places?.length) return;
  const texts = [word, ...words.map((each) => each.word)];
  map.group([]);
  map.place(places, texts, texts.map((_, row) => row));
  map.colour(texts.map((_, row) => (row ? null : 0)));
}

function render(words, kind) {
  // Cosines have a scale of their own; scores of sets have none, and are shown between the worst and the best.
  const scores = words.map((each) => each.score);
  const [most, least] = [Math.max(...scores), Math.min(...scores)];
  const share = (score) => (kind === "ask" ? 0.15 + (0.85 * (score - least)) / Math.max(1e-9, most - least) : score);
  region.replaceChildren(words.length ? make("ol", { class: "near" }, words.map(({ word, score }) => make("li", {},
    make("button", { class: "pick", type: "button", dir: "auto", title: `Neighbours of ${word}`, onclick: () => go("neighbours", [word]) }, word),
    bar(share(score)),
    make("span", { class: "points" }, decimals(score))))) : make("p", { class: "empty" }, "No word fits."));
}
