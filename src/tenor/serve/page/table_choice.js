// A file that is opened or dropped: plain lines go into the box, a table asks for its column.

import * as csv from "./csv.js";
import { announce, byId, counted, make, shortened } from "./elements.js";

const BIGGEST = 20_000_000; // bytes: lists for this page are small, and a browser tab should stay quick

export class TableChoice {
  #rows = null;
  #changed;

  constructor(changed) {
    this.#changed = changed;
    byId("file").addEventListener("change", (event) => { this.#open(event.target.files[0]); event.target.value = ""; });
    byId("forget").addEventListener("click", () => { this.forget(); byId("lines").focus(); });
    byId("column").addEventListener("change", () => this.#preview());
    byId("header").addEventListener("change", () => { this.#columns(Number(byId("column").value)); this.#preview(); });
    this.#dropping(document.documentElement, byId("drop"));
  }

  get open() {
    return this.#rows !== null;
  }

  /** The texts of the chosen column, each with its row in the file. */
  texts() {
    const column = Number(byId("column").value);
    const skipped = byId("header").checked ? 1 : 0;
    return this.#rows.slice(skipped).map((row, index) => ({ text: row[column] ?? "", line: index + skipped + 1 }));
  }

  forget() {
    this.#rows = null;
    byId("table").hidden = true;
    byId("pasted").hidden = false;
    this.#changed();
  }

  #dropping(area, frame) {
    // A file that misses the box by a little is meant for it all the same, and must not replace the page.
    const holdsFile = (event) => !byId("list").hidden && [...(event.dataTransfer?.types ?? [])].includes("Files");
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
    if (file.size > BIGGEST) return this.#refuse(`${file.name} is too big for this page (${Math.round(file.size / 1e6)} MB). The command line takes it: tenor dedupe FILE`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes.subarray(0, 4000).includes(0) && !(bytes[0] >= 0xfe && bytes[1] >= 0xfe)) return this.#refuse(`${file.name} is not a text file. Save the table as CSV and drop that.`);
    const text = csv.decode(bytes);
    const separator = csv.separatorOf(text);
    if (separator === null) this.#lines(text);
    else this.#table(file.name, csv.parse(text, separator));
  }

  #refuse(text) {
    byId("count").textContent = text;
    announce(text);
  }

  #lines(text) {
    this.forget();
    byId("lines").value = csv.parse(text, null).map(([line]) => line.replaceAll(/\r?\n|\r/g, " ")).join("\n");
    this.#changed();
  }

  #table(name, rows) {
    this.#rows = rows;
    const column = csv.textColumn(rows.slice(0, 200));
    byId("header").checked = csv.hasHeader(rows, column);
    byId("file-name").textContent = name;
    byId("file-size").textContent = counted(rows.length, "row");
    this.#columns(column);
    byId("table").hidden = false;
    byId("pasted").hidden = true;
    this.#preview();
    announce(`${name}: ${counted(rows.length, "row")}. Check the column of the texts.`);
  }

  #columns(chosen) {
    const head = byId("header").checked ? this.#rows[0] : [];
    const width = Math.max(...this.#rows.slice(0, 200).map((row) => row.length));
    byId("column").replaceChildren(...Array.from({ length: width }, (_, index) =>
      make("option", { value: index, selected: index === chosen }, shortened(head[index]?.trim() || `Column ${index + 1}`, 40))));
  }

  #preview() {
    byId("preview").replaceChildren(...this.texts().slice(0, 3).map(({ text }) => make("li", { dir: "auto" }, shortened(text, 200))));
    this.#changed();
  }
}
