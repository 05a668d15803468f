// A list of texts to work on: lines that are pasted, or a column of a file. Its elements' ids begin with a prefix.

import { byId, counted, make } from "./elements.js";
import { TableChoice } from "./table_choice.js";

export class TextList {
  #prefix;
  #table;
  #most = Infinity; // texts that the server takes
  #command; // that takes more

  constructor(prefix, { view, command, changed = () => {} }) {
    this.#prefix = prefix;
    this.#command = command;
    const told = () => { this.tell(); changed(); };
    this.#table = new TableChoice(told, { prefix, view, command, most: () => this.#most });
    this.box.addEventListener("input", told);
  }

  get box() { return byId(`${this.#prefix}lines`); }

  get isTable() { return this.#table.open; }

  limit(most) { this.#most = most; }

  /** The table's further columns by name, each a list of cells for `texts()`. */
  columns() { return this.#table.open ? this.#table.columns() : []; }

  /** The texts, each with its line or row, and the cell beside it in a table. */
  texts() {
    const found = this.#table.open ? this.#table.texts() : this.box.value.split("\n").map((text, index) => ({ text, line: index + 1 }));
    return found.map(({ text, ...others }) => ({ ...others, text: text.trim().toWellFormed() })).filter(({ text }) => text);
  }

  replace(text) {
    this.#table.forget();
    this.box.value = text;
    this.tell();
  }

  /** What is wrong with so many texts; null if nothing is. */
  refusal(count, least = 1) {
    if (count < least) return least > 1 ? "Give at least two texts, each on a line of its own." : "Give at least one text.";
    if (count > this.#most) return `${counted(count, "text")}; at most ${this.#most.toLocaleString("en")} at once here. For more: ${this.#command}`;
    return null;
  }

  tell() {
    const count = this.texts().length;
    byId(`${this.#prefix}count`).textContent = count ? this.refusal(count) ?? counted(count, "text") : "";
  }
}

/** Rows of cells as a table with a name, which can be scrolled by keys where it is wide. */
export function tableOf(name, head, rows) {
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    make("table", {}, make("thead", {}, make("tr", {}, head.map((each) => make("th", { scope: "col" }, each)))),
      make("tbody", {}, rows.map((cells) => make("tr", {}, cells.map((cell) => make("td", {}, cell)))))));
}
