// A list of texts: which of them say the same, at a threshold that can be moved, and a map of all.

import * as address from "./address.js";
import { post } from "./api.js";
import { announce, byId, counted, make, shortened } from "./elements.js";
import { exported } from "./exports.js";
import { Grouping } from "./grouping.js";
import { TextMap } from "./map.js";
import { colourings, legend } from "./map_colours.js";
import { following } from "./progress.js";
import { ResultPane } from "./result_pane.js";
import { LIST } from "./samples.js";
import { TextList } from "./text_list.js";

const DEFAULT = 0.85;
const FLOOR = 0.5;
const SHOWN = 40; // groups at once
const FEW = 6; // texts of a group at once
const MANY = 200; // texts from which on progress is shown

const region = byId("list-result");
const slider = byId("threshold");
const pane = new ResultPane(region);
let list = null;
let lastAsked = null; // the texts of the result that is shown, as one string
let answered = null; // the texts with their line or row, and what the server said of them
let groups = [];
let map = null;

/** Take note of how many texts the server takes. */
export function offer({ limits }) {
  list.limit(limits?.dedupe_texts ?? limits?.texts ?? Infinity);
}

export function start() {
  list = new TextList("", { view: "list", command: "tenor dedupe FILE", changed: () => { lastAsked = null; } });
  map = new TextMap(byId("map"), byId("map-tip"), select);
  slider.value = String(DEFAULT);
  byId("list-form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  byId("list-example").addEventListener("click", () => { list.replace(LIST); slider.value = "0.7"; submit(); });
  byId("map-search").addEventListener("input", searchMap);
  byId("map-colour").addEventListener("change", recolour);
  list.box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit(); }
  });
  slider.addEventListener("input", soon);
  slider.addEventListener("change", () => address.amend("list", settings()));
  byId("zoom-in").addEventListener("click", () => map.zoom(1.5));
  byId("zoom-out").addEventListener("click", () => map.zoom(1 / 1.5));
  byId("zoom-all").addEventListener("click", () => map.fit());
}

/** Show what an address says: its texts and threshold. */
export function show({ t, texts }) {
  const threshold = Number(t);
  slider.value = String(t !== undefined && threshold >= FLOOR && threshold <= 1 ? threshold : slider.value || DEFAULT);
  if (texts !== undefined && texts !== joined()) {
    list.replace(texts);
  }
  list.tell();
  const rows = current();
  if (list.refusal(rows.length, 2) === null && (texts !== undefined || lastAsked === keyOf(rows))) find(rows);
}

/** The texts to group, each with its line or row. */
const current = () => list.texts();

/** The texts in one string, as the address holds them. */
const joined = () => current().map(({ text }) => text.replaceAll(/[\r\n]+/g, " ")).join("\n");

const keyOf = (rows) => JSON.stringify(rows.map(({ text }) => text));

function settings() {
  const texts = joined();
  const fits = new URLSearchParams({ texts }).toString().length <= address.LONGEST;
  return { t: Number(slider.value).toFixed(2), texts: fits ? texts : undefined };
}

function submit() {
  const rows = current();
  const wrong = list.refusal(rows.length, 2);
  if (wrong) {
    region.hidden = false;
    region.classList.toggle("bare", answered === null);
    pane.say(wrong);
    if (!list.isTable) list.box.focus();
    return;
  }
  lastAsked = keyOf(rows);
  address.go("list", settings());
}

function find(rows) {
  region.hidden = false;
  if (answered?.key === keyOf(rows)) {
    pane.clear();
    regroup();
    return;
  }
  region.classList.toggle("bare", answered === null);
  region.classList.add("stale");
  const texts = rows.map((each) => each.text);
  const body = { texts, floor: FLOOR };
  const end = texts.length >= MANY ? following(region, texts.length) : () => {};
  pane.ask((options) => post("api/dedupe", body, options), (found) => {
    answered = { rows, key: keyOf(rows), grouping: new Grouping(found.same, found.pairs), columns: list.columns() };
    lastAsked = answered.key;
    region.classList.remove("bare");
    slider.min = String(Math.min(1, Math.ceil(found.floor * 100) / 100));
    regroup();
    map.place(found.points, rows.map((each) => each.text), found.same);
    colouring();
    note(found);
    byId("list-exports").replaceChildren(exported("groups", { json: () => ({ ...found, texts }), rows: table, path: "api/dedupe", body }));
    announce(byId("list-summary").textContent);
  }).finally(() => { end(); region.classList.remove("stale"); });
}

function note({ floor, notes = [] }) {
  const raised = floor > FLOOR + 0.005 ? [`Very many of these texts are alike, so the threshold starts at ${floor.toFixed(2)}.`] : [];
  const long = settings().texts === undefined ? ["This list is too long for a link: the address keeps the threshold only."] : [];
  byId("list-notes").replaceChildren(...[...raised, ...notes, ...long].map((text) => make("p", { class: "note" }, text)));
  region.querySelector(".share").hidden = long.length > 0;
}

let waiting = false;

/** Group anew with the next picture, however often the slider moves before it. */
function soon() {
  byId("threshold-value").textContent = Number(slider.value).toFixed(2);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; regroup(); });
}

/** Group anew at the threshold of the slider, from the scores that are here already. */
function regroup() {
  const threshold = Number(slider.value);
  byId("threshold-value").textContent = threshold.toFixed(2);
  if (!answered) return;
  groups = answered.grouping.at(threshold);
  const repeated = groups.reduce((sum, group) => sum + group.length - 1, 0);
  byId("list-summary").replaceChildren(...summary(groups.length, repeated));
  byId("groups").replaceChildren();
  unroll(byId("groups"), groups, SHOWN, card, "more group");
  if (!groups.length) byId("groups").append(make("li", { class: "empty" }, "No two of these texts are this alike. Move the slider to the left."));
  map.group(groups.map((group) => group.map(({ row }) => row)));
  recolour();
}

/** Offer the colours that there are: of groups, and of the table's columns. */
function colouring() {
  const choice = byId("map-colour");
  choice.replaceChildren(make("option", { value: "" }, "in a group or not"), make("option", { value: "group" }, "the largest groups"),
    ...answered.columns.map((name, column) => make("option", { value: column }, name)));
  byId("map-search").value = "";
  recolour();
}

function recolour() {
  if (!answered) return;
  const choice = byId("map-colour").value;
  const names = new Map();
  groups.forEach((group) => group.forEach(({ row }) => names.set(row, shortened(answered.rows[group[0].row].text, 30))));
  const values = choice === "group" ? answered.rows.map((_, row) => names.get(row) ?? null) : answered.rows.map(({ row }) => row?.[Number(choice)]?.trim() ?? null);
  const found = choice === "" ? { names: [], colours: null, rest: false } : colourings(values);
  map.colour(found.colours);
  legend(found);
}

function searchMap() {
  const found = map.search(byId("map-search").value);
  byId("map-found").textContent = byId("map-search").value.trim() ? counted(found, "text") : "";
}

function summary(found, repeated) {
  if (!found) return ["No groups at this threshold."];
  return [make("strong", {}, counted(found, "group")), `; ${counted(repeated, "text")} of ${answered.rows.length.toLocaleString("en")} ${repeated === 1 ? "repeats" : "repeat"} another.`];
}

/** Show the first few of many, and a button that shows the next few, ten times as many each time. */
function unroll(place, items, few, drawn, name, from = 0) {
  const to = Math.min(items.length, from + few);
  place.append(...items.slice(from, to).map((item, index) => drawn(item, from + index)));
  if (to === items.length) return;
  const more = make("li", {}, make("button", { class: "quiet", type: "button", onclick: () => {
    more.remove();
    unroll(place, items, 10 * few, drawn, name, to);
  } }, `and ${counted(items.length - to, name)}`));
  place.append(more);
}

function card(group, number) {
  const members = make("ul");
  unroll(members, group, FEW, (member) => line(member, number), "more text");
  return make("li", { class: "group", data: { group: number } }, members);
}

function line({ row, score, same, middle }, number) {
  const text = answered.rows[row].text;
  const pick = make("button", { class: "pick text", type: "button", dir: "auto", onclick: () => { map.select([row]); mark(number); } }, shortened(text, 400));
  const points = row === middle ? `${counted(groups[number].length, "text")}` : same ? "same text" : score.toFixed(2);
  return make("li", { class: row === middle ? "member centre" : "member" }, pick, make("span", { class: "points" }, points));
}

function mark(number) {
  document.querySelectorAll("#groups .group").forEach((each) => each.classList.toggle("on", Number(each.dataset.group) === number));
}

/** Show which texts were selected on the map, and the group of the first. */
function select(rows) {
  const number = groups.findIndex((group) => group.some((member) => member.row === rows[0]));
  mark(rows.length ? number : -1);
  const few = rows.slice(0, 50);
  byId("selected").replaceChildren(...(rows.length ? [
    make("h3", {}, `${counted(rows.length, "text")} selected`),
    make("ul", {}, few.map((row) => make("li", { class: "text", dir: "auto" }, shortened(answered.rows[row].text, 400)))),
    rows.length > few.length ? make("p", { class: "hint" }, `and ${counted(rows.length - few.length, "more text")}`) : "",
  ] : []));
}

/** Every text with its group, if it has one; the centre of a group is marked as the one to keep. */
function table() {
  const place = new Map();
  groups.forEach((group, number) => group.forEach((member) => place.set(member.row, { ...member, number })));
  const body = answered.rows.map(({ text, line: where }, row) => {
    const member = place.get(row);
    return [where, member ? member.number + 1 : "", member ? Number(member.score.toFixed(4)) : "", !member || member.middle === row ? "yes" : "no", text];
  });
  return [["line", "group", "score", "keep", "text"], ...body];
}
