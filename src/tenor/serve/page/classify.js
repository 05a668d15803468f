// What the model's tasks say of texts or of pairs of texts: labels with probabilities, and scores.

import * as address from "./address.js";
import { post } from "./api.js";
import { announce, bar, byId, counted, decimals, make, percent, quoted, shortened } from "./elements.js";
import { exported } from "./exports.js";
import { following } from "./progress.js";
import { ResultPane } from "./result_pane.js";
import { OPINIONS, PAIRS } from "./samples.js";
import { tableOf, TextList } from "./text_list.js";

const SHOWN = 200; // rows at once
const MANY = 200; // texts from which on progress is shown

const region = byId("classify-result");
const pane = new ResultPane(region);
let list = null;
let tasks = [];
let asked = null; // what the result that is shown was asked for

/** Take note of the tasks that the model has. */
export function offer({ models: [model], limits }) {
  tasks = model.tasks.filter((task) => task.about === "text" || task.about === "pair");
  list.limit(limits.texts);
  const both = new Set(tasks.map((task) => task.about)).size > 1;
  byId("classify-about-choice").hidden = !both;
  if (!both && tasks.length) document.querySelector(`input[name=about][value=${tasks[0].about}]`).checked = true;
  explain();
}

export function start() {
  list = new TextList("c-", { view: "classify", command: "tenor classify FILE" });
  byId("classify-form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  byId("classify-example").addEventListener("click", () => {
    list.replace(about() === "pair" ? PAIRS.map(({ texts }) => texts.join("\t")).join("\n") : OPINIONS);
    submit();
  });
  document.querySelectorAll("input[name=about]").forEach((each) => each.addEventListener("change", () => { explain(); wipe(); }));
}

/** Show what an address says: its texts, and whether they are pairs. */
export function show({ texts, about: kind }) {
  const chosen = document.querySelector(`input[name=about][value="${kind === "pair" ? "pair" : "text"}"]`);
  if (kind !== undefined && fitting(chosen.value).length) chosen.checked = true;
  explain();
  if (texts !== undefined) list.replace(texts);
  const key = JSON.stringify([about(), list.texts()]);
  if (texts !== undefined || asked === key) find();
  else if (asked === null) wipe();
}

const about = () => document.querySelector("input[name=about]:checked").value;
const fitting = (kind) => tasks.filter((task) => task.about === kind);

function explain() {
  const names = fitting(about()).map((task) => (task.labels.length ? `${task.name} (${task.labels.slice(0, 6).join(", ")}${task.labels.length > 6 ? ", …" : ""})` : task.name));
  byId("classify-tasks").textContent = names.length ? `Tasks: ${names.join("; ")}.` : "The model has no task of this kind.";
  byId("c-lines-label").textContent = about() === "pair" ? "One pair a line, a tab between the two texts" : "One text a line";
}

function wipe() {
  asked = null;
  pane.stop();
  region.replaceChildren(make("p", { class: "empty" }, "Each text gets its labels here, with the probability of each."));
}

function submit() {
  const rows = list.texts();
  const wrong = list.refusal(rows.length) ?? (about() === "pair" && rows.some((row) => !pairOf(row)) ? "A pair needs two texts with a tab between them, or two columns of a file side by side." : null);
  if (wrong) return pane.say(wrong);
  asked = JSON.stringify([about(), rows]);
  const texts = rows.map(({ text }) => text).join("\n");
  const short = !list.isTable && new URLSearchParams({ texts }).toString().length <= address.LONGEST;
  if (short) address.go("classify", { about: about(), texts });
  else { address.amend("classify", { about: about() }); find(); }
}

function pairOf({ text, beside }) {
  const [first, second] = text.includes("\t") ? text.split("\t", 2) : [text, beside ?? ""];
  return first.trim() && second.trim() ? { first: first.trim(), second: second.trim() } : null;
}

function find() {
  const rows = list.texts();
  const pairs = about() === "pair";
  if (!rows.length || (pairs && rows.some((row) => !pairOf(row)))) return wipe();
  const body = pairs ? { pairs: rows.map(pairOf) } : { texts: rows.map(({ text }) => text) };
  region.classList.add("stale");
  const end = rows.length >= MANY ? following(region, rows.length) : () => {};
  pane.ask((options) => post("api/classify", body, options), (found) => render(found, rows, body))
    .finally(() => { end(); region.classList.remove("stale"); });
}

function render(found, rows, body) {
  const names = Object.keys(found.results[0] ?? {});
  const shown = found.results.slice(0, SHOWN);
  region.replaceChildren(
    make("p", { class: "hint" }, `${counted(rows.length, body.pairs ? "pair" : "text")}${rows.length > SHOWN ? `; the first ${SHOWN} are shown, the files have all` : ""}`),
    tableOf("Labels of each text", [body.pairs ? "Pair" : "Text", ...names], shown.map((result, place) => [
      said(body, place), ...names.map((name) => cell(result[name]))])),
    exported("labels", { json: () => found, rows: () => table(found, rows, body, names), path: "api/classify", body }));
  announce(`${counted(rows.length, "text")} labelled.`);
}

function said({ texts, pairs }, place) {
  if (texts) return quoted(shortened(texts[place], 300), "p");
  return [quoted(shortened(pairs[place].first, 200), "p"), quoted(shortened(pairs[place].second, 200), "p")];
}

function cell(prediction) {
  if (typeof prediction.score === "number") return make("span", { class: "points" }, decimals(prediction.score));
  if (!Array.isArray(prediction.labels)) return make("code", {}, shortened(JSON.stringify(prediction), 200));
  const share = (label) => prediction.probabilities?.[label];
  const labels = prediction.labels.map((label) => make("span", { class: "label" }, quoted(label), share(label) === undefined ? null : [" ", make("span", { class: "points" }, percent(share(label))), bar(share(label))]));
  return labels.length ? labels : make("span", { class: "hint" }, "none");
}

function table(found, rows, { texts, pairs }, names) {
  const head = ["line", ...(pairs ? ["first", "second"] : ["text"]), ...names.flatMap((name) => [name, `${name} probability`])];
  return [head, ...found.results.map((result, place) => [rows[place].line, ...(pairs ? [pairs[place].first, pairs[place].second] : [texts[place]]),
    ...names.flatMap((name) => {
      const { labels = [], probabilities, score } = result[name];
      if (typeof score === "number") return [score, ""];
      return [labels.join("|"), labels.length ? Math.min(...labels.map((label) => probabilities?.[label] ?? 1)) : ""];
    })])];
}
