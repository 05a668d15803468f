// Two texts, one above the other, and bands between the phrases that match: solid for the same words, dashed
// for other words; or, where the model judges phrases, in the style of their relation. Phrases without a
// counterpart are dimmed. Pointing at a phrase, or going to it with the arrow keys, brings out its counterpart;
// a click keeps it.

import { counted, draw, make, percent } from "./elements.js";
import { areJudged, legendOf, relationOf, tagOf, told } from "./relations.js";

const MANY = 1200; // characters: beyond, the bands of all phrases would hide the texts


/** Places counted in characters, as the server counts them, to places in a JavaScript string. */
export function places(text) {
  const found = [0];
  for (const character of text) found.push(found.at(-1) + character.length);
  return found;
}

/** Cut a text into its phrases and what is between them; `kind` is null for the latter. */
export function pieces(text, phrases, only, cut) {
  const at = places(text);
  const spans = [
    ...phrases.map(({ span, kind }, number) => ({ ...span, kind, number })),
    ...only.map((span) => ({ ...span, kind: "only" })),
  ].sort((one, two) => one.begin - two.begin);
  const found = [];
  let done = 0;
  for (const { begin, end, kind, number } of spans) {
    if (at[begin] > done) found.push({ text: text.slice(done, at[begin]), kind: null });
    found.push({ text: text.slice(at[begin], at[end]), kind, number });
    done = at[end];
  }
  if (done < text.length) found.push({ text: text.slice(done), kind: cut ? "beyond" : null });
  return found;
}

export class Matching {
  #figure;
  #canvas = draw("svg", { class: "bands", "aria-hidden": "true" });
  #sides = [];
  #bands = [];
  #phrases;
  #judged; // whether the model said how the phrases are related
  #kept = null; // the phrase that was clicked
  #shown = null; // the phrase that is brought out now
  #sheer;
  #watcher;

  constructor(figure, found) {
    this.#figure = figure;
    this.#phrases = found.phrases;
    this.#judged = areJudged(found.phrases);
    this.#sheer = found.first.length + found.second.length > MANY;
    const tones = found.sentiment ?? [];
    const legend = this.#legend(found);
    this.#sides = [this.#side(found, "first", tones[0]), this.#side(found, "second", tones[1])];
    figure.classList.toggle("sheer", this.#sheer);
    figure.classList.toggle("judged", this.#judged);
    figure.append(legend, make("div", { class: "stage" }, this.#canvas, ...this.#sides));
    this.#marks().at(0)?.setAttribute("tabindex", "0");
    this.#listen();
    this.#watcher = new ResizeObserver(() => this.#redraw());
    this.#watcher.observe(figure);
    document.fonts?.ready.then(() => this.#redraw());
  }

  close() {
    this.#watcher.disconnect();
  }

  #legend({ phrases, only_first: here, only_second: there }) {
    const kinds = this.#judged ? legendOf(phrases) : [
      phrases.some((pair) => pair.same_words) && make("li", { class: "same" }, "same words"),
      phrases.some((pair) => !pair.same_words) && make("li", { class: "other" }, "counterpart in other words"),
    ];
    const entries = [
      ...kinds,
      here.length + there.length > 0 && make("li", { class: "only" }, "only in one of them"),
      this.#judged && make("li", { class: "how" }, "%: how sure the model is"),
      this.#sheer && phrases.length > 0 && make("li", { class: "how" }, "point at a phrase, or tap it, to see its counterpart"),
    ];
    return make("ul", { class: "legend", "aria-label": "Colours" }, entries);
  }

  /** How a pair is drawn: by its relation, or else by its words. */
  #kind(pair) {
    if (this.#judged) return relationOf(pair);
    return pair.same_words ? "same" : "other";
  }

  #side(found, name, tone) {
    const other = name === "first" ? "second" : "first";
    const phrases = found.phrases.map((pair) => ({ span: pair[name], kind: this.#kind(pair) }));
    const cut = found.cut[name === "first" ? 0 : 1] > 0;
    const rest = [];
    const parts = pieces(found[name], phrases, found[`only_${name}`], cut).map(({ text, kind, number }) => {
      if (kind === null) return text;
      if (number === undefined) {
        const span = make("span", { class: kind, title: kind === "only" ? "Without counterpart" : "Not read by the model" }, text);
        if (kind === "beyond" && text.length > MANY / 4) rest.push(folded(span));
        return span;
      }
      const pair = found.phrases[number];
      const words = pair.same_words ? "same words" : `other words for “${pair[other].text}”, ${pair.score.toFixed(2)}`;
      const how = this.#judged ? `${told(pair)}, ${words}` : words;
      return make("span", {
        class: `phrase ${kind}`, tabindex: "-1", role: "button", "aria-pressed": "false",
        "aria-label": `${text}: ${how}`, title: this.#judged && told(pair), data: this.#judged ? { number, tag: tagOf(pair) } : { number },
      }, text);
    });
    const label = make("p", { class: "who" }, name === "first" ? "First text" : "Second text", toneOf(tone));
    const body = make("p", { class: "said", dir: "auto" }, parts);
    const order = name === "first" ? [label, body, ...rest] : [body, ...rest, label];
    return make("div", { class: `side ${name}`, role: "group", "aria-label": `${name} text, phrases` }, order);
  }

  #marks() {
    return [...this.#figure.querySelectorAll(".phrase")];
  }

  #listen() {
    const numberOf = (event) => {
      const mark = event.target.closest?.(".phrase, .band");
      return mark ? Number(mark.dataset.number) : null;
    };
    const figure = this.#figure;
    figure.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") this.#light(numberOf(event) ?? this.#kept); });
    figure.addEventListener("pointerleave", () => this.#light(this.#kept));
    figure.addEventListener("focusin", (event) => this.#light(numberOf(event) ?? this.#kept));
    figure.addEventListener("focusout", () => this.#light(this.#kept));
    figure.addEventListener("click", (event) => this.#keep(numberOf(event)));
    figure.addEventListener("keydown", (event) => this.#key(event, numberOf(event)));
  }

  #key(event, number) {
    if (number === null) return;
    const marks = this.#marks();
    const here = marks.indexOf(event.target);
    const next = {
      ArrowRight: marks[here + 1], ArrowLeft: marks[here - 1], Home: marks[0], End: marks.at(-1),
      ArrowDown: this.#twin(event.target, number), ArrowUp: this.#twin(event.target, number),
    };
    if (event.key === "Enter" || event.key === " ") this.#keep(number);
    else if (event.key === "Escape") this.#keep(null);
    else if (event.key in next) this.#focus(next[event.key], marks);
    else return;
    event.preventDefault();
  }

  /** The same phrase in the other text. */
  #twin(mark, number) {
    return this.#marks().find((each) => each !== mark && Number(each.dataset.number) === number);
  }

  #focus(mark, marks) {
    if (!mark) return;
    marks.forEach((each) => each.setAttribute("tabindex", each === mark ? "0" : "-1"));
    mark.focus();
  }

  #keep(number) {
    this.#kept = number === this.#kept ? null : number;
    this.#marks().forEach((each) => each.setAttribute("aria-pressed", String(Number(each.dataset.number) === this.#kept)));
    this.#light(this.#kept);
  }

  #light(number) {
    this.#shown = number;
    this.#figure.classList.toggle("lit", number !== null);
    for (const each of [...this.#marks(), ...this.#bands]) {
      each.classList.toggle("on", number !== null && Number(each.dataset.number) === number);
    }
  }

  #redraw() {
    const stage = this.#canvas.parentElement.getBoundingClientRect();
    const boxes = this.#sides.map((side) => {
      const found = new Map();
      for (const mark of side.querySelectorAll(".phrase")) found.set(Number(mark.dataset.number), mark.getClientRects());
      return found;
    });
    this.#bands = this.#phrases.flatMap((pair, number) => {
      const above = boxes[0].get(number), below = boxes[1].get(number);
      if (!above?.length || !below?.length) return [];
      // A phrase that is broken over lines is tied by the piece that is nearest to the other text.
      const label = this.#judged ? told(pair) : !pair.same_words && pair.score.toFixed(2);
      return band(above[above.length - 1], below[0], stage, { kind: this.#kind(pair), label, number });
    });
    this.#canvas.replaceChildren(...this.#bands);
    this.#light(this.#shown);
  }
}

/** A band from the lower edge of one box to the upper edge of another, and what there is to say of it. */
function band(above, below, stage, { kind, label, number }) {
  const [left, right, top] = [above.left - stage.left, above.right - stage.left, above.bottom - stage.top];
  const [from, to, bottom] = [below.left - stage.left, below.right - stage.left, below.top - stage.top];
  const middle = (top + bottom) / 2;
  const curve = (x, y) => `C ${x} ${middle} ${y} ${middle} ${y}`;
  const path = `M ${left} ${top} ${curve(left, from)} ${bottom} H ${to} ${curve(to, right)} ${top} Z`;
  const shape = draw("path", { d: path, class: `band ${kind}`, data: { number } });
  if (!label) return [shape];
  const score = draw("text", { x: (left + right + from + to) / 4, y: middle, class: `points ${kind}`, data: { number } });
  score.textContent = label;
  return [shape, score];
}

/** Fold away what the model did not read, and give the button that shows it. */
function folded(span) {
  span.hidden = true;
  const unfold = (event) => { span.hidden = false; event.target.remove(); };
  return make("button", { class: "quiet unfold", type: "button", onclick: unfold }, `… and ${counted(span.textContent.length, "character")} that the model did not read`);
}

/** How a text sounds; where the model is torn between two labels, only that. */
function toneOf(tone) {
  if (!tone) return null;
  if (!tone.clear) return make("span", { class: "tone" }, "sentiment unclear");
  const probability = tone.probabilities[tone.label];
  return make("span", { class: "tone" }, `sounds ${tone.label}`, make("span", { class: "hint" }, ` ${percent(probability)}`));
}
