// A map of texts: near means alike. Dots of a group are tied to its centre. Drag moves it, Ctrl and the wheel or
// two fingers zoom, pointing tells a text, a click selects one, Shift and dragging several; arrows go from dot
// to dot. Without Ctrl the wheel scrolls the page, as everywhere.

import { announce, shortened } from "./elements.js";
import { COLOURS } from "./map_colours.js";
import { spread } from "./spread.js";

const MARGIN = 28; // pixels around the dots
const REACH = 14; // pixels within which a dot is pointed at
const CLOSEST = 60; // how far one can zoom in
const STEP = 1.25;
const LABELS = 150; // texts that are tried at most
const LETTERS = 26; // of each

export class TextMap {
  #canvas;
  #tip;
  #selected;
  #points = []; // places of the rows, -1 to 1 in both directions
  #spots = []; // places of the rows on the canvas, in pixels
  #texts = [];
  #sizes = []; // how often each text occurs; 0 for a copy, which its first row stands for
  #stars = []; // rows of each group, the centre first
  #inGroup = new Set();
  #colours = null; // the number of each row's colour, null for none; null: by group
  #found = null; // rows that a search in the map has found; null: there is no search
  #chosen = new Set();
  #at = null; // the row that is pointed at
  #view = { scale: 1, x: 0, y: 0 };
  #fingers = new Map();
  #frame = null; // the rectangle that is being drawn to select
  #moved = false;
  #queued = false;

  constructor(canvas, tip, selected) {
    this.#canvas = canvas;
    this.#tip = tip;
    this.#selected = selected;
    new ResizeObserver(() => this.#draw()).observe(canvas);
    addEventListener("recoloured", () => this.#draw());
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.#up(event));
    canvas.addEventListener("pointerleave", () => this.#point(null));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("blur", () => this.#point(null));
  }

  /** Put texts at their points, [-1, 1] in both directions; copies of a text make its dot bigger. */
  place(points, texts, same) {
    this.#points = spread(points, same);
    this.#texts = texts;
    this.#sizes = texts.map(() => 0);
    same.forEach((first, row) => { this.#sizes[first < 0 ? row : first] += 1; });
    this.#at = null;
    this.#colours = this.#found = null;
    this.select([]);
    this.fit();
  }

  text(row) {
    return this.#texts[row];
  }

  group(groups) {
    this.#stars = groups;
    this.#inGroup = new Set(groups.flat());
    this.#draw();
  }

  /** Colour the rows by number, or by group where null is given. */
  colour(colours) {
    this.#colours = colours;
    this.#draw();
  }

  /** Bring out the texts that contain something, and return how many there are; nothing brings out all. */
  search(words) {
    const wanted = words.trim().toLocaleLowerCase();
    this.#found = wanted ? new Set([...this.#texts.keys()].filter((row) => this.#texts[row].toLocaleLowerCase().includes(wanted))) : null;
    this.#draw();
    return this.#found?.size ?? 0;
  }

  select(rows) {
    this.#chosen = new Set(rows);
    this.#selected(rows);
    this.#draw();
  }

  fit() {
    this.#view = { scale: 1, x: 0, y: 0 };
    this.#draw();
  }

  /** Zoom by a factor around a place on the canvas, its middle when none is given. */
  zoom(factor, x = this.#canvas.clientWidth / 2, y = this.#canvas.clientHeight / 2) {
    const { scale, x: left, y: top } = this.#view;
    const next = Math.min(CLOSEST, Math.max(1, scale * factor));
    this.#view = { scale: next, x: x - ((x - left) * next) / scale, y: y - ((y - top) * next) / scale };
    this.#draw();
  }

  #draw() {
    this.#locate();
    if (this.#queued) return;
    this.#queued = true;
    requestAnimationFrame(() => { this.#queued = false; this.#paint(); });
  }

  /** Find the place of every row on the canvas, in the present view. */
  #locate() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const { scale, x: left, y: top } = this.#view;
    this.#spots = this.#points.map(([x, y]) => [
      left + scale * (MARGIN + ((x + 1) / 2) * (width - 2 * MARGIN)),
      top + scale * (MARGIN + ((1 - y) / 2) * (height - 2 * MARGIN)),
    ]);
  }

  #paint() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (!width || !height) return;
    this.#canvas.classList.toggle("near", this.#view.scale > 1);
    const density = devicePixelRatio || 1;
    this.#canvas.width = width * density;
    this.#canvas.height = height * density;
    const pen = this.#canvas.getContext("2d");
    pen.scale(density, density);
    const [accent, edge, ink, card] = ["--accent", "--edge", "--ink", "--card"].map(resolved);
    pen.lineWidth = 1.5;
    pen.strokeStyle = accent;
    pen.globalAlpha = 0.45;
    for (const [centre, ...others] of this.#stars) {
      for (const row of others) line(pen, this.#spots[centre], this.#spots[row]);
    }
    pen.globalAlpha = 1;
    const named = Array.from({ length: COLOURS }, (_, number) => resolved(`--colour-${number}`));
    this.#sizes.forEach((size, row) => {
      if (!size) return;
      pen.globalAlpha = this.#found && !this.#found.has(row) ? 0.18 : 1;
      const plain = this.#colours ? edge : this.#inGroup.has(row) ? accent : edge;
      this.#dot(pen, row, named[this.#colours?.[row]] ?? plain, card);
    });
    pen.globalAlpha = 1;
    this.#labels(pen, ink, card);
    for (const row of this.#chosen) ring(pen, this.#spots[row], this.#radius(row) + 4, ink);
    if (this.#at !== null) ring(pen, this.#spots[this.#at], this.#radius(this.#at) + 4, accent);
    if (this.#frame) pen.strokeRect(...this.#frame);
  }

  #dot(pen, row, fill, rim) {
    const [x, y] = this.#spots[row];
    pen.beginPath();
    pen.arc(x, y, this.#radius(row), 0, 2 * Math.PI);
    pen.fillStyle = fill;
    pen.fill();
    pen.lineWidth = 1;
    pen.strokeStyle = rim;
    pen.stroke();
  }

  /** Write beside the dots what they say, as far as there is room: of a group only its centre. */
  #labels(pen, ink, rim) {
    const taken = this.#spots.map(([x, y]) => [x - 6, y - 4, x + 6, y + 4]);
    const centres = this.#stars.map(([centre]) => centre);
    const alone = [...this.#points.keys()].filter((row) => !this.#inGroup.has(row));
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.lineWidth = 3;
    pen.strokeStyle = rim;
    pen.fillStyle = ink;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const inView = (row) => { const [x, y] = this.#spots[row]; return x >= 0 && y >= 0 && x <= width && y <= height; };
    const first = this.#found ? [...this.#found] : [...this.#chosen, ...centres, ...alone];
    for (const row of [...new Set(first)].filter(inView).slice(0, LABELS)) {
      const text = shortened(this.#texts[row].replaceAll(/\s+/g, " "), LETTERS);
      const room = this.#room(row, pen.measureText(text).width, taken);
      if (!room) continue;
      taken.push(room);
      pen.strokeText(text, room[0], room[1] + 8);
      pen.fillText(text, room[0], room[1] + 8);
    }
  }

  /** A free box for a label to the right of a dot, to its left, above or below it; undefined if there is none. */
  #room(row, long, taken) {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const [x, y] = this.#spots[row];
    const gap = this.#radius(row) + 5;
    const [above, below] = [y - gap - 14, y + gap - 2];
    const starts = [
      [x + gap, y - 8], [x - gap - long, y - 8], [x - long / 2, above], [x - long / 2, below],
      [x - 8, above], [x - 8, below], [x + 8 - long, above], [x + 8 - long, below],
    ];
    return starts.map(([left, top]) => [left, top, left + long, top + 16]).find(([left, top, right, bottom]) =>
      left >= 2 && top >= 2 && right <= width - 2 && bottom <= height - 2
      && !taken.some(([a, b, c, d]) => a < right && c > left && b < bottom && d > top));
  }

  #radius(row) {
    const base = this.#points.length > 400 ? 3 : 5;
    return (this.#inGroup.has(row) ? base : base - 1) + Math.min(4, 1.5 * Math.log2(Math.max(1, this.#sizes[row])));
  }

  #nearest(x, y, reach = REACH) {
    let best = null, least = reach;
    this.#spots.forEach(([left, top], row) => {
      const distance = Math.hypot(left - x, top - y);
      if (distance < least) [best, least] = [row, distance];
    });
    return best;
  }

  #point(row, told = false) {
    if (row === this.#at && row === null) return;
    this.#at = row;
    this.#draw();
    this.#tip.hidden = row === null;
    if (row === null) return;
    this.#tip.textContent = shortened(this.#texts[row], 160);
    const [x, y] = this.#spots[row];
    const { offsetWidth: wide, offsetHeight: high } = this.#tip;
    this.#tip.style.left = `${Math.max(4, Math.min(x - wide / 2, this.#canvas.clientWidth - wide - 4))}px`;
    this.#tip.style.top = `${y - high - 14 > 0 ? y - high - 14 : y + 14}px`;
    if (told) announce(shortened(this.#texts[row], 160));
  }

  #spot(event) {
    const box = this.#canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #down(event) {
    this.#canvas.setPointerCapture(event.pointerId);
    const spot = this.#spot(event);
    this.#fingers.set(event.pointerId, spot);
    this.#moved = this.#fingers.size > 1;
    if (event.shiftKey) this.#frame = [...spot, 0, 0];
  }

  #move(event) {
    const [x, y] = this.#spot(event);
    const before = this.#fingers.get(event.pointerId);
    if (!before) return this.#point(this.#nearest(x, y));
    if (!this.#moved && Math.hypot(x - before[0], y - before[1]) < 4) return;
    this.#moved = true;
    this.#point(null);
    if (this.#frame) {
      this.#frame = [this.#frame[0], this.#frame[1], x - this.#frame[0], y - this.#frame[1]];
    } else if (this.#fingers.size === 2) {
      this.#pinch(event.pointerId, before, [x, y]);
    } else {
      this.#canvas.classList.add("grabbing");
      this.#view = { ...this.#view, x: this.#view.x + x - before[0], y: this.#view.y + y - before[1] };
    }
    if (!this.#frame) this.#fingers.set(event.pointerId, [x, y]);
    this.#draw();
  }

  #pinch(id, before, now) {
    const [other] = [...this.#fingers].filter(([each]) => each !== id).map(([, spot]) => spot);
    const apart = (spot) => Math.max(1, Math.hypot(spot[0] - other[0], spot[1] - other[1]));
    this.zoom(apart(now) / apart(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  #up(event) {
    const known = this.#fingers.delete(event.pointerId);
    this.#canvas.classList.remove("grabbing");
    if (this.#frame) {
      this.select(this.#within(this.#frame));
      this.#frame = null;
    } else if (known && !this.#moved && event.type === "pointerup") {
      const row = this.#nearest(...this.#spot(event), event.pointerType === "touch" ? 2 * REACH : REACH);
      this.select(row === null ? [] : [row]);
      if (event.pointerType === "touch") this.#point(row);
    }
  }

  #within([x, y, wide, high]) {
    const [left, right] = [x, x + wide].sort((a, b) => a - b);
    const [top, bottom] = [y, y + high].sort((a, b) => a - b);
    return [...this.#spots.keys()].filter((row) => {
      const [a, b] = this.#spots[row];
      return a >= left && a <= right && b >= top && b <= bottom;
    });
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // Then the page scrolls.
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...this.#spot(event));
    this.#point(this.#nearest(...this.#spot(event)));
  }

  #key(event) {
    const { key } = event;
    if (key.startsWith("Arrow")) this.#step(key);
    else if (key === "+" || key === "=") this.zoom(STEP);
    else if (key === "-") this.zoom(1 / STEP);
    else if (key === "0") this.fit();
    else if (key === "Escape") { this.select([]); this.#point(null); }
    else if ((key === "Enter" || key === " ") && this.#at !== null) this.select([this.#at]);
    else return;
    event.preventDefault();
  }

  /** Go to the nearest dot in the direction of an arrow, and bring it into sight. */
  #step(key) {
    if (!this.#points.length) return;
    if (this.#at === null) return this.#point([...this.#chosen][0] ?? 0, true);
    const [x, y] = this.#spots[this.#at];
    const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null, least = Infinity;
    this.#spots.forEach(([a, b], row) => {
      const along = (a - x) * dx + (b - y) * dy, across = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
      if (along > 0.5 && along + 2 * across < least) [best, least] = [row, along + 2 * across];
    });
    if (best === null) return;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const [a, b] = this.#spots[best];
    this.#view.x += Math.min(0, width - MARGIN - a) + Math.max(0, MARGIN - a);
    this.#view.y += Math.min(0, height - MARGIN - b) + Math.max(0, MARGIN - b);
    this.#locate();
    this.#point(best, true);
  }
}

function line(pen, from, to) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

function ring(pen, [x, y], radius, colour) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.lineWidth = 2;
  pen.strokeStyle = colour;
  pen.stroke();
}

const probe = document.createElement("span");

/** A colour of the style sheet as a canvas understands it: for light or for dark, whichever is on. */
function resolved(name) {
  probe.style.color = `var(${name})`;
  if (!probe.isConnected) { probe.hidden = true; document.body.append(probe); }
  return getComputedStyle(probe).color;
}
