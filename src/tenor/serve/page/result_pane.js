// The part of a view where results appear: waiting, the result, or what went wrong and what to do.

import { announce, make } from "./elements.js";

const SOON = 200; // milliseconds: a response that comes sooner needs no sign of waiting

export class ResultPane {
  #region;
  #running = null;

  constructor(region) {
    this.#region = region;
  }

  /** Ask with a signal to stop, and draw what comes; a newer question silences an older one. */
  async ask(asking, drawing) {
    this.stop();
    const running = new AbortController();
    this.#running = running;
    const timer = setTimeout(() => this.#wait("One moment…"), SOON);
    const waiting = (seconds) => this.#wait(`The server is busy; asking again in ${seconds} s…`);
    try {
      const found = await asking({ signal: running.signal, waiting });
      if (running.signal.aborted) return;
      this.clear();
      drawing(found);
    } catch (error) {
      if (running.signal.aborted) return;
      if (error.again === undefined) console.error(error); // A mistake of ours, not of the server's.
      this.#fail(error, () => this.ask(asking, drawing));
    } finally {
      clearTimeout(timer);
      if (this.#running === running) {
        this.#running = null;
        this.#region.removeAttribute("aria-busy");
      }
    }
  }

  stop() {
    this.#running?.abort();
    this.#running = null;
    this.#region.removeAttribute("aria-busy");
  }

  clear() {
    this.#region.querySelectorAll(":scope > .waiting, :scope > .failure").forEach((each) => each.remove());
  }

  /** Say something in place of a result. */
  say(text) {
    this.stop();
    this.clear();
    this.#region.prepend(make("p", { class: "failure" }, text));
    announce(text);
  }

  #wait(text) {
    this.clear();
    this.#region.setAttribute("aria-busy", "true");
    this.#region.hidden = false;
    this.#region.prepend(make("p", { class: "waiting" }, text));
    announce(text);
  }

  #fail(error, again) {
    this.clear();
    const text = error.again === undefined ? "Something went wrong in this page. Reloading it may help." : error.message;
    const retry = error.again && make("button", { type: "button", onclick: again }, "Try again");
    this.#region.hidden = false;
    this.#region.prepend(make("div", { class: "failure" }, make("p", {}, text), retry));
    announce(text);
  }
}
