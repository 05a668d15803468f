// A file that is opened or dropped: plain lines go into the box, a table asks for its column.

import * as csv from "./csv.js";
import { announce, byId, counted, make, shortened } from "./elements.js";

const BIGGEST = 20_000_000; // bytes: lists for this page are small, and a browser tab should stay quick

export class TableChoice {
  #rows = null;
  #changed;
  #prefix; // of the ids of its elements
  #view; // whose visitors may drop a file anywhere
  #most; // texts that the server takes
  #command; // that takes more

  constructor(changed, { prefix = "", view = "list", command = "tenor dedupe FILE", most = () => Infinity } = {}) {
    this.#changed = changed;
    [this.#prefix, this.#view, this.#command, this.#most] = [prefix, view, command, most];
    this.#by("file").addEventListener("change", (event) => { this.#open(event.target.files[0]); event.target.value = ""; });
    this.#by("forget").addEventListener("click", () => { this.forget(); this.#by("lines").focus(); });
    this.#by("column").addEventListener("change", () => this.#preview());
    this.#by("header").addEventListener("change", () => { this.#columns(Number(this.#by("column").value)); this.#preview(); });
    this.#dropping(document.documentElement, this.#by("drop"));
  }

  #by(id) {
    return byId(this.#prefix + id);
  }

  get open() {
    return this.#rows !== null;
  }

  /** The texts of the chosen column, each with its row in the file and the cell to its right. */
  texts() {
    const column = Number(this.#by("column").value);
    const skipped = this.#by("header").checked ? 1 : 0;
    return this.#rows.slice(skipped).map((row, index) => ({ text: row[column] ?? "", beside: row[column + 1], row, line: index + skipped + 1 }));
  }

  /** The names of all columns. */
  columns() {
    return [...this.#by("column").options].map((option) => option.textContent);
  }

  forget() {
    this.#rows = null;
    this.#by("table").hidden = true;
    this.#by("pasted").hidden = false;
    this.#changed();
  }

  #dropping(area, frame) {
    // A file that misses the box by a little is meant for it all the same, and must not replace the page.
    const holdsFile = (event) => !byId(this.#view).hidden && [...(event.dataTransfer?.types ?? [])].includes("Files");
    area.addEventListener("dragover", (event) => {
      if (!holdsFile(event)) return;
      event.preventDefault();
      frame.classList.add("over");
    });
    area.addEventListener("dragleave", (event) => { if (!area.contains(event.relatedTarget)) frame.classList.remove("over"); });
    area.addEventListener("drop", (event) => {
      if (!holdsFile(event)) return;
      event.preventDefault();
      frame.classList.remove("over");
      this.#open(event.dataTransfer.files[0]);
    });
  }

  async #open(file) {
    if (!file) return;
    if (file.size > BIGGEST) return this.#refuse(`${file.name} is too big for this page (${Math.round(file.size / 1e6)} MB). The command line takes it: ${this.#command}`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes.subarray(0, 4000).includes(0) && !(bytes[0] >= 0xfe && bytes[1] >= 0xfe)) return this.#refuse(`${file.name} is not a text file. Save the table as CSV and drop that.`);
    const text = csv.decode(bytes);
    const separator = csv.separatorOf(text);
    // Looked at before anything is drawn: a box with very many lines would stop the whole tab.
    const lines = csv.countLines(text);
    const most = this.#most();
    // Cells of a table may hold line ends, so that it may have fewer rows than lines.
    if (lines > most * (separator === null ? 1 : 20)) return this.#refuse(`${file.name} has ${lines.toLocaleString("en")} lines; at most ${most.toLocaleString("en")} texts at once here. The command line takes it: ${this.#command}`);
    if (separator === null) this.#lines(text);
    else this.#table(file.name, csv.parse(text, separator));
  }

  #refuse(text) {
    this.#by("count").textContent = text;
    announce(text);
  }

  #lines(text) {
    this.forget();
    this.#by("lines").value = csv.parse(text, null).map(([line]) => line.replaceAll(/\r?\n|\r/g, " ")).join("\n");
    this.#changed();
  }

  #table(name, rows) {
    this.#rows = rows;
    const column = csv.textColumn(rows.slice(0, 200));
    this.#by("header").checked = csv.hasHeader(rows, column);
    this.#by("file-name").textContent = name;
    this.#by("file-size").textContent = counted(rows.length, "row");
    this.#columns(column);
    this.#by("table").hidden = false;
    this.#by("pasted").hidden = true;
    this.#preview();
    announce(`${name}: ${counted(rows.length, "row")}. Check the column of the texts.`);
  }

  #columns(chosen) {
    const head = this.#by("header").checked ? this.#rows[0] : [];
    const width = Math.max(...this.#rows.slice(0, 200).map((row) => row.length));
    this.#by("column").replaceChildren(...Array.from({ length: width }, (_, index) =>
      make("option", { value: index, selected: index === chosen }, shortened(head[index]?.trim() || `Column ${index + 1}`, 40))));
  }

  #preview() {
    this.#by("preview").replaceChildren(...this.texts().slice(0, 3).map(({ text }) => make("li", { dir: "auto" }, shortened(text, 200))));
    this.#changed();
  }
}
