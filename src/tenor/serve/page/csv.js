// Reading and writing tables, in the page: a file that is dropped here goes nowhere but the texts to our server.

const SEPARATORS = [",", ";", "\t", "|"];
// What a spreadsheet would take for a formula and run.
const FORMULA = /^[\s\u0000-\u001f]*[=+\-@＝＋－＠]/u;

/** The text of a file: by its mark, else UTF-8, else what Windows used before. */
export function decode(bytes) {
  const [a, b] = bytes;
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The separator that cuts the first rows into the same number of cells, and the most of them; null for none. */
export function separatorOf(text) {
  const head = text.slice(0, 20_000);
  let best = [1, null];
  for (const separator of SEPARATORS) {
    const rows = parse(head, separator).slice(0, 50);
    if (head.length < text.length) rows.pop(); // It may be cut in the middle.
    const width = rows[0]?.length ?? 1;
    const even = rows.filter((row) => row.length === width).length;
    if (width > 1 && even >= 0.9 * rows.length && width > best[0]) best = [width, separator];
  }
  return best[1];
}

/** How many lines are not blank, without keeping any of them. */
export function countLines(text) {
  let count = 0;
  for (const _ of text.matchAll(/[^\s][^\r\n]*/g)) count += 1;
  return count;
}

/** Rows of cells; a cell in double quotes may hold separators, line ends and doubled quotes. Blank rows go. */
export function parse(text, separator) {
  const rows = [];
  let row = [];
  let place = 0;
  while (place < text.length) {
    let cell;
    if (text[place] === '"') [cell, place] = quotedCell(text, place + 1);
    else cell = "";
    const end = endOfCell(text, place, separator);
    row.push(cell + text.slice(place, end));
    place = end;
    if (text[place] === separator && separator !== null) {
      place += 1;
      if (place === text.length) row.push("");
      continue;
    }
    if (text[place] === "\r" && text[place + 1] === "\n") place += 1;
    place += 1;
    rows.push(row);
    row = [];
  }
  if (row.length) rows.push(row);
  return rows.filter((each) => each.length > 1 || each[0].trim() !== "");
}

function quotedCell(text, begin) {
  let cell = "";
  for (let place = begin; ; ) {
    const end = text.indexOf('"', place);
    if (end < 0) return [cell + text.slice(place), text.length];
    cell += text.slice(place, end);
    if (text[end + 1] !== '"') return [cell, end + 1];
    cell += '"';
    place = end + 2;
  }
}

function endOfCell(text, begin, separator) {
  let place = begin;
  while (place < text.length && text[place] !== separator && text[place] !== "\n" && text[place] !== "\r") place += 1;
  return place;
}

/** The column that reads most like texts: the one with the most characters a cell. */
export function textColumn(rows) {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const sums = Array.from({ length: width }, (_, column) => rows.reduce((sum, row) => sum + (/[^\d\s.,:/-]/.test(row[column] ?? "") ? row[column].length : 0), 0));
  return Math.max(0, sums.indexOf(Math.max(...sums)));
}

/** Whether the first row looks like names: short, all different, none a number, and shorter than the texts. */
export function hasHeader(rows, column) {
  if (rows.length < 2) return false;
  const [head, ...rest] = rows;
  const short = head.every((cell) => cell.trim() && cell.length <= 40 && !/^[\d.,\s-]+$/.test(cell));
  const mean = rest.slice(0, 100).reduce((sum, row) => sum + (row[column]?.length ?? 0), 0) / Math.min(100, rest.length);
  return short && new Set(head).size === head.length && (head[column]?.length ?? 0) < 0.7 * mean;
}

/** Rows as CSV. Texts that a spreadsheet would run as a formula get an apostrophe in front, numbers do not. */
export function write(rows) {
  return `\ufeff${rows.map((row) => row.map(cellOf).join(",")).join("\r\n")}\r\n`;
}

function cellOf(value) {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n\t']|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
