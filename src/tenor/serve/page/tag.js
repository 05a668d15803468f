// The words of texts with their tags: entities in colours with a legend, and how sure the model is of each word.

import * as address from "./address.js";
import { post } from "./api.js";
import { announce, byId, counted, make, percent, quoted } from "./elements.js";
import { exported } from "./exports.js";
import { ResultPane } from "./result_pane.js";
import { TAGGED } from "./samples.js";
import { tableOf } from "./text_list.js";

const COLOURS = 8;
const SHOWN = 100; // texts at once
const LEAST = 0.01; // of an expert's weight that is shown

const box = byId("tag-text");
const region = byId("tag-result");
const pane = new ResultPane(region);
let taggers = [];

/** Take note of the taggers that the model has. */
export function offer({ models: [model] }) {
  taggers = model.tasks.filter((task) => task.about === "words");
  byId("tag-task").replaceChildren(...taggers.map((task) => make("option", { value: task.name }, task.name)));
  byId("tag-task-row").hidden = taggers.length < 2;
}

export function start() {
  byId("tag-form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  byId("tag-example").addEventListener("click", () => { box.value = TAGGED; submit(); });
}

export function show({ text = "", task }) {
  if (text) box.value = text;
  if (taggers.some((each) => each.name === task)) byId("tag-task").value = task;
  if (text.trim()) find(text);
  else {
    pane.stop();
    region.replaceChildren(make("p", { class: "empty" }, "The names and other marked words of your text appear here, each type in its colour."));
  }
}

function submit() {
  const text = box.value.trim().toWellFormed();
  if (!text) {
    pane.say("Write or paste a text.");
    return box.focus();
  }
  const short = new URLSearchParams({ text }).toString().length <= address.LONGEST;
  if (short) address.go("tag", { text, task: taggers.length > 1 ? byId("tag-task").value : undefined });
  else { address.amend("tag", {}); find(text); }
}

function find(text) {
  const body = { texts: text.split("\n").filter((line) => line.trim()), task: byId("tag-task").value || undefined };
  region.classList.add("stale");
  pane.ask((options) => post("api/tag", body, options), (found) => render(found, body)).finally(() => region.classList.remove("stale"));
}

function render(found, body) {
  const spans = found.results.flatMap(marksOf);
  const types = [...new Set(spans.map(({ type }) => type))].sort();
  const colour = (type) => `tag colour-${types.indexOf(type) % COLOURS}`;
  const count = (type) => spans.filter((span) => span.type === type).length;
  const rows = found.results.flatMap(({ words }, text) => words.map((word) => [text + 1, word.begin, word.end, word.word, word.tag, word.probability]));
  region.replaceChildren(
    make("ul", { class: "types", "aria-label": "Types" }, types.map((type) => make("li", { class: colour(type) }, `${type} ${count(type)}`))),
    types.length ? "" : make("p", { class: "hint" }, "The model marks nothing in this text."),
    make("div", { class: "tagged" }, found.results.slice(0, SHOWN).map((result) => make("p", { class: "text", dir: "auto" }, drawn(result, colour)))),
    make("p", { class: "hint" }, "Point at a word to see its tag, how probable it is and, where the tagger has experts, their weights."),
    make("details", { class: "table" }, make("summary", {}, "The same as a table"),
      tableOf("Words and tags", ["Text", "Word", "Tag", "Probability"], rows.slice(0, 1000).map(([text, , , word, tag, share]) => [String(text), quoted(word), tag, percent(share)]))),
    exported("tags", { json: () => found, rows: () => [["text", "begin", "end", "word", "tag", "probability"], ...rows], path: "api/tag", body }));
  announce(types.length ? `${counted(spans.length, "mark")}: ${types.join(", ")}.` : "Nothing is marked.");
}

/** Entities; of a tagger that gives every word a plain tag, the words. */
function marksOf({ entities, words }) {
  return entities.length || words.some(({ tag }) => tag === "O") ? entities : words.map(({ tag, ...word }) => ({ ...word, type: tag }));
}

/** What is known of a word: its tag, how probable it is and, of a tagger with experts, whom it listens to. */
function known({ tag, probability, gates }) {
  const experts = Object.entries(gates ?? {}).sort(([, one], [, two]) => two - one).filter(([, weight]) => weight >= LEAST);
  const told = experts.map(([name, weight]) => `${name} ${percent(weight)}`).join(", ");
  return `${tag} ${percent(probability)}${told ? `; experts: ${told}` : ""}`;
}

/** A text as its words, each with what is known of it; positions count characters, not units of UTF-16. */
function drawn(result, colour) {
  const characters = Array.from(result.text);
  const part = (begin, end) => characters.slice(begin, end).join("");
  const word = (each) => make("span", { class: "word", title: known(each) }, part(each.begin, each.end));
  const pieces = [];
  let place = 0;
  const until = (to) => { if (to > place) pieces.push(part(place, to)); place = Math.max(place, to); };
  const within = (begin, end) => result.words.filter((each) => each.begin >= begin && each.end <= end);
  const plain = (end) => { for (const each of within(place, end)) { until(each.begin); pieces.push(word(each)); place = each.end; } until(end); };
  for (const mark of marksOf(result)) {
    plain(mark.begin);
    const inner = within(mark.begin, mark.end).flatMap((each, index, all) => [part(index ? all[index - 1].end : mark.begin, each.begin), word(each)]);
    pieces.push(make("mark", { class: colour(mark.type) }, inner, make("span", { class: "type" }, ` ${mark.type}`)));
    place = mark.end;
  }
  plain(characters.length);
  return pieces;
}
