// An index: a question, how to look for it, and filters on its columns.

import * as address from "./address.js";
import { post } from "./api.js";
import { announce, bar, byId, counted, decimals, make, shortened } from "./elements.js";
import { exported } from "./exports.js";
import { ResultPane } from "./result_pane.js";

const COMPARISONS = {
  text: [["=", "is"], ["!=", "is not"], ["like", "contains"]],
  number: [["=", "="], ["!=", "≠"], ["<", "<"], ["<=", "≤"], [">", ">"], [">=", "≥"]],
  boolean: [["=", "is"]],
};
const MORE = 10;
const MOST = 100;

const query = byId("query");
const region = byId("search-result");
const pane = new ResultPane(region);
let columns = [];
let examples = [];

/** Take note of the index that the server has. */
export function offer(index) {
  columns = index.columns ?? [];
  examples = index.examples ?? [];
  byId("search-about").textContent = `${counted(index.texts, "text")} in “${index.name}”, found by what they mean, by their words, or by both.`;
  byId("add-filter").hidden = !columns.length;
}

export function start() {
  byId("search-form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  document.querySelectorAll("input[name=mode]").forEach((each) => each.addEventListener("change", () => { if (query.value.trim()) submit(); }));
  byId("add-filter").addEventListener("click", () => { const row = filterRow(); byId("filters").append(row); row.querySelector("select").focus(); });
}

/** Show what an address says: query, mode, filters, and how many hits. */
export function show({ q = "", mode = "hybrid", filters, k }) {
  query.value = q;
  const chosen = document.querySelector(`input[name=mode][value="${CSS.escape(mode)}"]`) ?? document.querySelector("input[name=mode]");
  chosen.checked = true;
  byId("filters").replaceChildren(...parsed(filters).map(filterRow));
  if (q.trim()) find(q, chosen.value, Math.min(MOST, Math.max(1, Number(k) || MORE)));
  else {
    pane.stop();
    region.replaceChildren(make("div", { class: "empty" }, make("p", {}, "Ask something, and the texts that answer it best appear here."),
      examples.length ? make("ul", { class: "tries", "aria-label": "Examples" }, examples.map((each) =>
        make("li", {}, make("button", { class: "example", type: "button", dir: "auto", onclick: () => { query.value = each; submit(); } }, each)))) : ""));
  }
}

function submit(k) {
  if (!query.value.trim()) {
    pane.say("Write what you are looking for.");
    query.focus();
    return;
  }
  const filters = current();
  address.go("search", {
    q: query.value.trim().toWellFormed(),
    mode: document.querySelector("input[name=mode]:checked").value,
    filters: filters.length ? JSON.stringify(filters.map(({ name, how, value }) => [name, how, value])) : undefined,
    k,
  });
}

function find(q, mode, k) {
  region.classList.add("stale");
  const where = current().map(condition).join(" and ") || null;
  const body = { query: q, mode, k, where };
  pane.ask((options) => post("api/search", body, options), (found) => {
    render(found, q, k, mode);
    if (found.hits.length) region.append(exported("hits", { json: () => found, rows: () => table(found.hits), path: "api/search", body }));
  })
    .finally(() => region.classList.remove("stale"));
}

function table(hits) {
  const names = Object.keys(hits[0].columns);
  return [["rank", "id", "score", "cosine", "bm25", ...names, "text"], ...hits.map((hit, place) => [place + 1, hit.id, hit.score, hit.cosine ?? "", hit.bm25 ?? "", ...names.map((name) => hit.columns[name] ?? ""), hit.text])];
}

function render({ hits, notes = [] }, q, k, mode) {
  const words = new Set((q.toLocaleLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []));
  const best = Math.max(...hits.map((hit) => hit.score), 1e-9);
  const head = hits.length ? counted(hits.length, "hit") : null;
  region.replaceChildren(
    ...notes.map((note) => make("p", { class: "note" }, note)),
    head ? make("p", { class: "hint" }, head) : make("p", { class: "empty" }, "Nothing was found. Other words, or fewer filters, may help."),
    make("ol", { class: "hits" }, hits.map((hit) => entry(hit, words, best, mode))),
    hits.length === k && k < MOST ? make("p", { class: "actions" }, make("button", { type: "button", onclick: () => submit(Math.min(MOST, k + MORE)) }, "Show more")) : "",
  );
  announce(head ?? "Nothing was found.");
}

/** What a hit is ranked by, and what else is known of it. */
function ranking(hit, mode) {
  const meaning = hit.cosine === null ? null : `meaning ${decimals(hit.cosine)}`;
  const words = hit.bm25 === null ? null : `words ${decimals(hit.bm25, 1)}`;
  if (mode === "lexical") return `Ranked by ${words}`;
  if (mode === "vector") return `Ranked by ${meaning}`;
  return `Ranked by both, ${decimals(hit.score)}: ${[meaning, words ?? "no word of the query"].filter(Boolean).join(" and ")}`;
}

function entry(hit, words, best, mode) {
  const facts = Object.entries(hit.columns).filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => make("span", {}, `${name}: `, make("bdi", { dir: "auto" }, shortened(String(value), 120))));
  return make("li", { class: "hit" },
    make("p", { class: "text", dir: "auto" }, marked(shortened(hit.text, 1200), words)),
    make("p", { class: "facts" }, bar(hit.score / best), make("span", { class: "ranked" }, ranking(hit, mode)), facts));
}

/** A text with the words of the query marked in it. */
function marked(text, words) {
  return text.split(/([\p{L}\p{N}]+)/u).map((part) => (words.has(part.toLocaleLowerCase()) ? make("mark", {}, part) : part));
}

function filterRow([name = columns[0]?.name, how, value = ""] = []) {
  const remove = make("button", { class: "quiet", type: "button", "aria-label": "Remove this filter" }, "×");
  const column = make("select", { "aria-label": "Column" }, columns.map((each) => make("option", { value: each.name, selected: each.name === name }, each.name)));
  const comparison = make("select", { "aria-label": "Comparison" });
  const input = make("input", { "aria-label": "Value", dir: "auto", value });
  const choose = (chosen) => comparison.replaceChildren(...COMPARISONS[family(column.value)].map(([sign, words]) => make("option", { value: sign, selected: sign === chosen }, words)));
  const row = make("div", { class: "filter", role: "group", "aria-label": "Filter" }, column, comparison, input, remove);
  choose(how);
  column.addEventListener("change", () => choose());
  remove.addEventListener("click", () => { row.remove(); byId("add-filter").focus(); });
  return row;
}

function family(name) {
  const kind = columns.find((each) => each.name === name)?.kind ?? "text";
  return kind === "text" ? "text" : kind === "boolean" ? "boolean" : "number";
}

/** The filters that are filled in. */
function current() {
  return [...document.querySelectorAll("#filters .filter")].map((row) => {
    const [column, comparison] = row.querySelectorAll("select");
    return { name: column.value, how: comparison.value, value: row.querySelector("input").value.trim() };
  }).filter(({ value }) => value);
}

/** A filter in the language of `tenor search --where`; names and texts are quoted. */
function condition({ name, how, value }) {
  const column = `"${name.replaceAll('"', '""')}"`;
  const text = (each) => `'${each.replaceAll("'", "''")}'`;
  if (how === "like") return `${column} like ${text(`%${value}%`)}`;
  return `${column} ${how} ${family(name) === "text" ? text(value) : value}`;
}

/** The filters of an address; whatever else it says counts as none. */
function parsed(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return found.filter((each) => Array.isArray(each) && columns.some((column) => column.name === each[0])).slice(0, 20);
  } catch {
    return [];
  }
}
