// Which view is shown, what the server offers, and what all views share.

import * as address from "./address.js";
import { get, useToken } from "./api.js";
import * as classify from "./classify.js";
import * as compare from "./compare.js";
import { announce, byId } from "./elements.js";
import * as list from "./list.js";
import * as search from "./search.js";
import * as tag from "./tag.js";
import * as words from "./words.js";

const VIEWS = { compare, list, classify, tag, search, words };
const NAMES = { compare: "Compare", list: "Duplicates", classify: "Classify", tag: "Tag", search: "Search", words: "Word vectors" };
const links = new Map([...document.querySelectorAll("nav [data-view]")].map((link) => [link.dataset.view, link]));
const offered = new Set(["compare", "list"]);

function route() {
  const { view: wanted, settings } = address.read();
  const view = offered.has(wanted) ? wanted : "compare";
  for (const name of Object.keys(VIEWS)) byId(name).hidden = name !== view;
  for (const [name, link] of links) {
    if (name === view) showCurrent(link);
    else link.removeAttribute("aria-current");
  }
  document.title = `${NAMES[view]} · Tenor`;
  remember();
  VIEWS[view].show(view === wanted ? settings : {});
}

/** Mark the link to the view that is shown; on a phone the row of links scrolls to it. */
function showCurrent(link) {
  link.setAttribute("aria-current", "page");
  const row = link.closest("nav");
  const [own, all] = [link.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += Math.max(0, own.right - all.right) - Math.max(0, all.left - own.left);
}

/** Let the link to a view lead back to where the reader left it. */
function remember() {
  const { view } = address.read();
  links.get(view)?.setAttribute("href", location.hash);
}

/** Learn what the server has: its model, and an index or word vectors where it was given any. */
async function survey() {
  const has = await get("api/models");
  const does = (...kinds) => (has.models[0].tasks.some((task) => kinds.includes(task.about)) ? has : null);
  for (const [name, part] of [["classify", does("text", "pair")], ["tag", does("words")], ["search", has.index], ["words", has.vectors]]) {
    if (!part) continue;
    offered.add(name);
    links.get(name).hidden = false;
    VIEWS[name].offer(part);
  }
  list.offer(has);
  const [model] = has.models ?? [];
  if (model) byId("model").textContent = `Model: ${model.name.split(/[\\/]/).pop()}. `;
}

/** Skip to the content without losing what the address says. */
function skipping() {
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("main").focus(); });
}

function themes() {
  const names = { "": "Auto", light: "Light", dark: "Dark" };
  const root = document.documentElement;
  const show = () => {
    const name = names[root.dataset.theme ?? ""];
    byId("theme-name").textContent = name;
    byId("theme").setAttribute("aria-label", `Colours: ${name}. Change`);
  };
  byId("theme").addEventListener("click", () => {
    const next = { "": "light", light: "dark", dark: "" }[root.dataset.theme ?? ""];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try { localStorage.setItem("tenor-theme", next); } catch { /* Then the choice lasts until the next reload. */ }
    show();
    dispatchEvent(new CustomEvent("recoloured"));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new CustomEvent("recoloured")));
  show();
}

/** The buttons that copy the address of what is shown. */
function sharing() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.(".share");
    if (!button) return;
    const said = button.textContent;
    let done = "Copied";
    try { await navigator.clipboard.writeText(location.href); } catch { done = "Copy it from the address bar"; }
    button.textContent = done;
    announce(done);
    setTimeout(() => { button.textContent = said; }, 2000);
  });
}

function tokens() {
  const form = byId("token-form");
  addEventListener("token-wanted", ({ detail }) => {
    const shown = !form.hidden;
    form.hidden = false;
    byId("token-label").textContent = detail.wrong ? "That was not the token of this server." : "This server asks for a token.";
    if (!shown) byId("token").focus();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    useToken(byId("token").value.trim());
    form.hidden = true;
    begin();
  });
}

async function begin() {
  // What every server has is shown at once; the rest when it is known to be there.
  const wanted = address.read().view;
  const early = !wanted || offered.has(wanted);
  if (early) route();
  try {
    await survey();
  } catch (error) {
    // The views say what is wrong when they ask something themselves; here nothing more is known.
    if (error.again === undefined) console.error(error);
  }
  if (!early) route();
}

Object.values(VIEWS).forEach((view) => view.start());
skipping();
themes();
sharing();
tokens();
addEventListener("hashchange", route);
addEventListener("amended", remember);
begin();
